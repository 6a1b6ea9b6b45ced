import type { ComponentChildren } from "preact";
import { text } from "../../text/text.ts";
import { ChainFilter } from "../parts/filters/chain-filter.tsx";
import { FilterBar, type TimedFiltering, WrittenFilter } from "../parts/filters/filter-bar.tsx";
import { timeFilters } from "../parts/filters/time-filters.tsx";

export const sightingFilters = [
  "blockchain",
  "contract",
  "tx_hash",
  "wallet_id",
  ...timeFilters,
  "cursor",
] as const;

type Shown = {
  of: TimedFiltering<(typeof sightingFilters)[number]>;
  kept?: Readonly<Record<string, string>>;
  children?: ComponentChildren;
};

/** The filters of a list of sightings; `children` come first. `kept`: see FilterBar. */
export function SightingFilters({ of, kept = {}, children }: Shown) {
  const words = text.transactions.filters;
  return (
    <FilterBar of={of} path="/sightings" kept={kept}>
      {children}
      <ChainFilter of={of} />
      <WrittenFilter of={of} name="contract" label={text.sightings.contract} isWide={true} />
      <WrittenFilter of={of} name="tx_hash" label={words.tx_hash} isWide={true} />
      {of.filters.wallet_id !== undefined && (
        <WrittenFilter of={of} name="wallet_id" label={words.wallet_id} isWide={true} />
      )}
    </FilterBar>
  );
}
