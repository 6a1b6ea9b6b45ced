import { text } from "../../text/text.ts";
import { ChainFilter } from "../parts/filters/chain-filter.tsx";
import {
  ChosenFilter,
  ClearFilters,
  type Filtering,
  WrittenFilter,
} from "../parts/filters/filter-bar.tsx";

type Shown = {
  of: Filtering<"q" | "status" | "blockchain">;
  kept?: Readonly<Record<string, string>>;
};

/** The filters of a list of wallets. `kept`: see ClearFilters. */
export function WalletFilters({ of, kept = {} }: Shown) {
  const { filters, status } = text.wallets;
  return (
    <>
      <WrittenFilter of={of} name="q" label={filters.q} isWide={true} />
      <ChosenFilter of={of} name="status" label={status} options={text.walletStatus} />
      <ChainFilter of={of} />
      <ClearFilters of={of.filters} path="/wallets" kept={kept} />
    </>
  );
}
