import type { Business } from "../../domain/business/business.ts";
import { requireId } from "../../domain/not-found.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { invalidField } from "../../domain/text.ts";

export type BusinessPorts = {
  ledger: {
    /** @throws Fault `business_not_found` */
    readBusiness: (id: string) => Promise<Business>;
    listBusinesses: (page: PageRequest) => Promise<Page<Business>>;
  };
};

/**
 * The business that was named, or the only one there is.
 * @throws Fault `business_not_found`; `invalid_request` where none was named and there are several, or none
 */
export async function businessOf(
  { ledger }: BusinessPorts,
  given: string | undefined,
): Promise<Business> {
  if (given !== undefined) return ledger.readBusiness(requireId(given, "business_not_found"));
  const { rows } = await ledger.listBusinesses({ limit: 2, afterId: null });
  const [only, ...others] = rows;
  if (only !== undefined && others.length === 0) return only;
  throw invalidField(
    "business",
    only === undefined ? "create one first" : "there are several, so name one with --business",
  );
}
