import { addressOf, usePlace } from "../../route/place.ts";
import { fill, text } from "../../text/text.ts";

/** The way to older rows and back to the newest, as links. Another page begins at its top. */
export function Pager({ next, count }: { next: string | null; count: number }) {
  const { path, query } = usePlace();
  const isFirst = !query.has("cursor");
  if (isFirst && next === null) {
    return <div class="pager">{fill(text.common.rows, { count })}</div>;
  }
  const filters = Object.fromEntries(query);
  return (
    <nav class="pager" aria-label={text.common.pages}>
      {fill(text.common.rows, { count })}
      <span class="push row">
        {!isFirst && (
          <a class="button" href={addressOf(path, { ...filters, cursor: null })} onClick={toTop}>
            {text.common.newest}
          </a>
        )}
        {next !== null && (
          <a class="button" href={addressOf(path, { ...filters, cursor: next })} onClick={toTop}>
            {text.common.older}
          </a>
        )}
      </span>
    </nav>
  );
}

function toTop(): void {
  window.scrollTo(0, 0);
}
