import type { ComponentChildren } from "preact";
import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { ChainFilter } from "../parts/filters/chain-filter.tsx";
import { type Filtering, WrittenFilter } from "../parts/filters/filter-bar.tsx";

export const sightingFilters = [
  "blockchain",
  "contract",
  "tx_hash",
  "wallet_id",
  "cursor",
] as const;

type Shown = {
  of: Filtering<(typeof sightingFilters)[number]> & { isFiltered: boolean };
  children?: ComponentChildren;
};

/** The filters of a list of sightings; `children` come first. */
export function SightingFilters({ of, children }: Shown) {
  const words = text.transactions.filters;
  return (
    <div class="filters">
      {children}
      <ChainFilter of={of} />
      <WrittenFilter of={of} name="contract" label={text.sightings.contract} isWide={true} />
      <WrittenFilter of={of} name="tx_hash" label={words.tx_hash} isWide={true} />
      {of.filters.wallet_id !== undefined && (
        <WrittenFilter of={of} name="wallet_id" label={words.wallet_id} isWide={true} />
      )}
      {of.isFiltered && (
        <a class="button button-quiet" href={addressOf("/sightings")}>
          {text.common.clearFilters}
        </a>
      )}
    </div>
  );
}
