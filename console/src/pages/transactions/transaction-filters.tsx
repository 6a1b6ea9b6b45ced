import type { ComponentChildren } from "preact";
import { text } from "../../text/text.ts";
import { AssetFilter } from "../parts/filters/asset-filter.tsx";
import { ChainFilter } from "../parts/filters/chain-filter.tsx";
import {
  ChosenFilter,
  FilterBar,
  type TimedFiltering,
  WrittenFilter,
} from "../parts/filters/filter-bar.tsx";
import { SortFilter } from "../parts/filters/sort-filter.tsx";
import type { TransactionFilter } from "./query.ts";

type Shown = {
  of: TimedFiltering<TransactionFilter>;
  kept?: Readonly<Record<string, string>>;
  children?: ComponentChildren;
};

/** The filters of a list of transactions; `children` come first. `kept`: see FilterBar. */
export function TransactionFilters({ of, kept = {}, children }: Shown) {
  const words = text.transactions;
  const { tx_hash, wallet_id } = words.filters;
  return (
    <FilterBar of={of} path="/transactions" kept={kept}>
      {children}
      <ChosenFilter
        {...{ of, name: "type", label: words.type }}
        {...{ any: words.anyType, options: text.transactionType }}
      />
      <ChosenFilter of={of} name="status" label={words.status} options={text.transactionStatus} />
      <AssetFilter of={of} />
      <SortFilter of={of} />
      <ChainFilter of={of} />
      <WrittenFilter of={of} name="q" label={text.wallets.filters.q} isWide={true} />
      <WrittenFilter of={of} name="tx_hash" label={tx_hash} isWide={true} />
      {of.filters.wallet_id !== undefined && (
        <WrittenFilter of={of} name="wallet_id" label={wallet_id} isWide={true} />
      )}
    </FilterBar>
  );
}
