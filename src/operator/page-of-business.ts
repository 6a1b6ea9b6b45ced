import type { Business } from "../domain/business/business.ts";
import type { Page } from "../domain/page.ts";

/** Finds the business of a list. */
export type BusinessReader = {
  /** @throws Fault `business_not_found` */
  readBusiness: (id: string) => Promise<Business>;
};

/**
 * The page, unless it is empty because there is no such business. Null and undefined: the list is
 * of all businesses.
 * @throws Fault `business_not_found`
 */
export async function pageOfBusiness<Row>(
  ledger: BusinessReader,
  businessId: string | null | undefined,
  reading: Promise<Page<Row>>,
): Promise<Page<Row>> {
  const page = await reading;
  const isOfOne = businessId !== null && businessId !== undefined;
  if (isOfOne && page.rows.length === 0) await ledger.readBusiness(businessId);
  return page;
}
