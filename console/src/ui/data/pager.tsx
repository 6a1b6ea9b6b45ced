import { addressOf, usePlace } from "../../route/place.ts";
import { newerPage, olderPage, type PagePlace } from "../../route/trail.ts";
import { fill, text } from "../../text/text.ts";
import { belowHead } from "../frame/below-head.ts";

/**
 * The way to older rows, to newer ones and back to the newest, as links. Another page begins at its
 * top.
 */
export function Pager({ next, count }: { next: string | null; count: number }) {
  const { path, query } = usePlace();
  const here: PagePlace = { cursor: query.get("cursor"), trail: query.get("trail") };
  const newer = newerPage(here);
  const isFirst = here.cursor === null;
  if (isFirst && next === null) {
    return <div class="pager">{fill(text.common.rows, { count })}</div>;
  }
  const filters = Object.fromEntries(query);
  const linkTo = (page: PagePlace, words: string) => (
    <a
      class="button"
      href={addressOf(path, { ...filters, ...page })}
      onClick={(event) => toTop(event.currentTarget)}
    >
      {words}
    </a>
  );
  return (
    <nav class="pager" aria-label={text.common.pages}>
      {fill(text.common.rows, { count })}
      <span class="push row">
        {!isFirst && linkTo({ cursor: null, trail: null }, text.common.newest)}
        {newer !== null && linkTo(newer, text.common.newer)}
        {next !== null &&
          // While the next page is under way, the rows are still those before it.
          next !== here.cursor &&
          linkTo(olderPage(here, next), text.common.older)}
      </span>
    </nav>
  );
}

/** The top of the page, or of the list where it stands further down. */
function toTop(link: Element): void {
  const listTop = link.closest(".card")?.getBoundingClientRect().top ?? 0;
  const top = listTop + window.scrollY;
  window.scrollTo(0, top < window.innerHeight ? 0 : top - belowHead);
}
