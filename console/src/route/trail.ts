/**
 * A page of a list, as its address names it. It has its cursor, null on the first page, and the
 * cursors of the pages before it. Cursors lead to older pages alone, so an address remembers the
 * newer ones.
 */
export type PagePlace = { cursor: string | null; trail: string | null };

/** Stands in a trail for the first page, which has no cursor. */
const first = "0";

/** An address of this many pages is still one that can be passed on. */
const longest = 40;

/** The page after this one. Of a very long trail the newest pages are forgotten. */
export function olderPage({ cursor, trail }: PagePlace, next: string): PagePlace {
  return { cursor: next, trail: [...pagesIn(trail), cursor ?? first].slice(-longest).join(".") };
}

/** The page before this one; null where the address does not know it. */
export function newerPage({ trail }: PagePlace): PagePlace | null {
  const pages = pagesIn(trail);
  const last = pages.at(-1);
  if (last === undefined) return null;
  const rest = pages.slice(0, -1);
  return {
    cursor: last === first ? null : last,
    trail: rest.length === 0 ? null : rest.join("."),
  };
}

function pagesIn(trail: string | null): string[] {
  return (trail ?? "").split(".").filter((page) => page !== "");
}
