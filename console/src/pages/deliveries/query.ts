import type { Filters } from "../../route/filters.ts";
import { text } from "../../text/text.ts";
import type { paths, webhooks } from "../../wire/generated/api-paths.ts";
import { given, wordIn } from "../../wire/given.ts";
import { inTime, timeFilters } from "../parts/filters/time-filters.tsx";

export const deliveryFilters = [
  "event",
  "status",
  "transaction_id",
  "webhook_id",
  "blockchain",
  "asset",
  "q",
  "sort",
  ...timeFilters,
  "cursor",
] as const;

/** The statuses that a filter may name, in words. */
export const askedStatuses = {
  ...text.deliveryStatus,
  undelivered: text.overview.notHeard,
} as const;

export type DeliveryFilter = (typeof deliveryFilters)[number];

/**
 * The filters of an address as the API takes them. An unknown word is left out, and so is an order
 * without the asset that it needs. `isSortable`: see DeliveryFilters.
 */
export function queryOf(
  filters: Filters<DeliveryFilter>,
  isSortable = true,
): NonNullable<paths["/notifications"]["get"]["parameters"]["query"]> {
  return given({
    ...inTime(filters),
    event: wordIn(text.event satisfies Record<keyof webhooks, string>, filters.event),
    status: wordIn(askedStatuses, filters.status),
    sort:
      isSortable && filters.asset !== undefined
        ? wordIn(text.transactions.sorts, filters.sort)
        : undefined,
  });
}
