import type { Business, BusinessSettings } from "../domain/business/business.ts";
import { isId } from "../domain/id.ts";
import { notFound } from "../domain/not-found.ts";
import { invalidField, requirePlainText } from "../domain/text.ts";
import { presentBusiness, type ShownBusiness } from "./present.ts";

type Change = (id: string) => Promise<Business>;

/**
 * Verifies, suspends or resumes: whatever `change` does. Takes effect on the API within 2 seconds; safe to repeat.
 * @throws Fault `business_not_found`
 */
export async function changeBusiness(change: Change, id: string): Promise<ShownBusiness> {
  return presentBusiness(await change(requireId(id)));
}

type Ledger = { setBusiness: (id: string, settings: BusinessSettings) => Promise<Business> };

/** Names are the API's own. What is left out stays; `in_flight` null is the configured default. */
export type BusinessInput = { name?: string; notify_pending?: boolean; in_flight?: number | null };

/** As many as one business may ever have under way; the dispatchers' slots are shared by all. */
const maxInFlight = 1_000;

/** @throws Fault `business_not_found`, `invalid_request` */
export async function setBusiness(
  ledger: Ledger,
  id: string,
  input: BusinessInput,
): Promise<ShownBusiness> {
  const { name, notify_pending: notifyPending, in_flight: inFlight } = input;
  const isWhole = inFlight === undefined || inFlight === null || Number.isInteger(inFlight);
  if (!isWhole || (inFlight ?? 1) < 1 || (inFlight ?? 1) > maxInFlight) {
    throw invalidField("in_flight", `expected a whole number from 1 to ${maxInFlight}, or null`);
  }
  const settings: BusinessSettings = {
    ...(name === undefined ? {} : { name: requirePlainText(name, "name") }),
    ...(notifyPending === undefined ? {} : { notifyPending }),
    ...(inFlight === undefined ? {} : { inFlight }),
  };
  return presentBusiness(await ledger.setBusiness(requireId(id), settings));
}

function requireId(id: string): string {
  if (!isId(id)) throw notFound("business_not_found");
  return id;
}
