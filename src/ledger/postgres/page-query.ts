import { leastIdAt } from "../../domain/id.ts";
import type { PageRequest } from "../../domain/page.ts";

/** Rows whose ids are of a time at or after `from`, and before `to`. */
type Period = { from?: Date | undefined; to?: Date | undefined };

/**
 * Makes the arguments of `findMany` for a page of matching rows, newest first by id. It asks for
 * one row more, which shows whether there is a next page (see toPage).
 */
export function pageQuery<Where extends object>(
  where: Where,
  page: PageRequest,
  { from, to }: Period = {},
) {
  const bounds = [
    ...(page.afterId === null ? [] : [{ id: { lt: page.afterId } }]),
    ...(from === undefined ? [] : [{ id: { gte: leastIdAt(from) } }]),
    ...(to === undefined ? [] : [{ id: { lt: leastIdAt(to) } }]),
  ];
  // `where` may have an AND of its own.
  const all = [where, ...bounds];
  return { where: { AND: all }, orderBy: { id: "desc" }, take: page.limit + 1 } as const;
}
