import type { Filters } from "../../route/filters.ts";
import { text } from "../../text/text.ts";
import type { paths, webhooks } from "../../wire/generated/api-paths.ts";
import { given, wordIn } from "../../wire/given.ts";
import { momentsIn, timeFilters } from "../parts/filters/time-filters.tsx";

export const deliveryFilters = [
  "event",
  "status",
  "transaction_id",
  "webhook_id",
  "q",
  ...timeFilters,
  "cursor",
] as const;

export type DeliveryFilter = (typeof deliveryFilters)[number];

/** The filters of an address as the API takes them. An unknown word is left out. */
export function queryOf(
  filters: Filters<DeliveryFilter>,
): NonNullable<paths["/notifications"]["get"]["parameters"]["query"]> {
  const { period: _period, from: _from, to: _to, ...others } = filters;
  return given({
    ...others,
    event: wordIn(text.event satisfies Record<keyof webhooks, string>, filters.event),
    status: wordIn(text.deliveryStatus, filters.status),
    ...momentsIn(filters),
  });
}
