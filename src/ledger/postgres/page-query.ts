import type { PageRequest } from "../../domain/page.ts";

/**
 * Makes the arguments of `findMany` for a page of the rows that match, newest first by id. One row
 * more says whether there is a next page (see toPage).
 */
export function pageQuery<Where extends object>(where: Where, page: PageRequest) {
  const after = page.afterId === null ? {} : { id: { lt: page.afterId } };
  return { where: { ...where, ...after }, orderBy: { id: "desc" }, take: page.limit + 1 } as const;
}
