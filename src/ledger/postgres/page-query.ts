import type { PageRequest } from "../../domain/page.ts";

/**
 * Makes the arguments of `findMany` for a page of matching rows, newest first by id. It asks for
 * one row more, which shows whether there is a next page (see toPage).
 */
export function pageQuery<Where extends object>(where: Where, page: PageRequest) {
  const after = page.afterId === null ? {} : { id: { lt: page.afterId } };
  return { where: { ...where, ...after }, orderBy: { id: "desc" }, take: page.limit + 1 } as const;
}
