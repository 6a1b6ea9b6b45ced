import { text } from "../../text/text.ts";
import { ChainFilter } from "../parts/filters/chain-filter.tsx";
import { ChosenFilter, type Filtering, WrittenFilter } from "../parts/filters/filter-bar.tsx";

/** The filters of a list of wallets. */
export function WalletFilters({ of }: { of: Filtering<"q" | "status" | "blockchain"> }) {
  const { filters, status } = text.wallets;
  return (
    <>
      <WrittenFilter of={of} name="q" label={filters.q} isWide={true} />
      <ChosenFilter of={of} name="status" label={status} options={text.walletStatus} />
      <ChainFilter of={of} />
    </>
  );
}
