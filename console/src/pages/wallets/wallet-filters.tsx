import type { ComponentChildren } from "preact";
import { text } from "../../text/text.ts";
import { ChainFilter } from "../parts/filters/chain-filter.tsx";
import {
  ChosenFilter,
  FilterBar,
  type TimedFiltering,
  WrittenFilter,
} from "../parts/filters/filter-bar.tsx";

type Shown = {
  of: TimedFiltering<"q" | "status" | "blockchain">;
  kept?: Readonly<Record<string, string>>;
  children?: ComponentChildren;
};

/**
 * The filters of a list of wallets; `children` come first. The times are of when they were added.
 * `kept`: see FilterBar.
 */
export function WalletFilters({ of, kept = {}, children }: Shown) {
  const { filters, status } = text.wallets;
  return (
    <FilterBar of={of} path="/wallets" kept={kept}>
      {children}
      <WrittenFilter of={of} name="q" label={filters.q} isWide={true} />
      <ChosenFilter of={of} name="status" label={status} options={text.walletStatus} />
      <ChainFilter of={of} />
    </FilterBar>
  );
}
