import type { Business } from "../../domain/business/business.ts";
import { Fault } from "../../domain/fault.ts";
import { requireId } from "../../domain/not-found.ts";
import type { Page, PageRequest } from "../../domain/page.ts";

export type BusinessPorts = {
  ledger: {
    /** @throws Fault `business_not_found` */
    readBusiness: (id: string) => Promise<Business>;
    listBusinesses: (page: PageRequest) => Promise<Page<Business>>;
  };
  /** The id of development mode's demo business. Null: there is none. */
  readDemoBusiness: () => Promise<string | null>;
};

/**
 * The named business, or the only one, or the demo business of development mode.
 * @throws Fault `business_not_found`
 * @throws Fault `invalid_request` if none is named, and there are several or none
 */
export async function businessOf(
  { ledger, readDemoBusiness }: BusinessPorts,
  given: string | undefined,
): Promise<Business> {
  if (given !== undefined) return ledger.readBusiness(requireId(given, "business_not_found"));
  const { rows } = await ledger.listBusinesses({ limit: 2, afterId: null });
  const [only, ...others] = rows;
  if (only !== undefined && others.length === 0) return only;
  const demo = await readDemoBusiness();
  if (demo !== null) return ledger.readBusiness(demo);
  const message =
    only === undefined
      ? "No business exists. Create one first: business create --name NAME."
      : "Several businesses exist. Add --business ID.";
  throw new Fault("invalid_request", message, {
    facts: { details: [{ field: "business", message }] },
  });
}
