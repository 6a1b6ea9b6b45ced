import type { Filters } from "../../route/filters.ts";
import { text } from "../../text/text.ts";
import type { paths } from "../../wire/generated/api-paths.ts";
import { given, wordIn } from "../../wire/given.ts";
import { inTime, timeFilters } from "../parts/filters/time-filters.tsx";

export const transactionFilters = [
  "type",
  "status",
  "asset",
  "blockchain",
  "wallet_id",
  "q",
  "tx_hash",
  "sort",
  ...timeFilters,
  "cursor",
] as const;

export type TransactionFilter = (typeof transactionFilters)[number];

/** The query parameters of the list of transactions. */
export type TransactionQuery = NonNullable<paths["/transactions"]["get"]["parameters"]["query"]>;

/**
 * The filters of an address as the API takes them. An unknown type or status is left out, and so is
 * an order without the asset that it needs.
 */
export function queryOf(filters: Filters<TransactionFilter>): TransactionQuery {
  return given({
    ...inTime(filters),
    type: wordIn(text.transactionType, filters.type),
    status: wordIn(text.transactionStatus, filters.status),
    sort: filters.asset === undefined ? undefined : wordIn(text.transactions.sorts, filters.sort),
  });
}
