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
import { askedStatuses, type DeliveryFilter } from "./query.ts";

type Shown = {
  of: TimedFiltering<DeliveryFilter>;
  /** The choice of a webhook. */
  webhook: ComponentChildren;
  /** False: the list is of several businesses, so it has no order of amounts. */
  isSortable?: boolean;
  children?: ComponentChildren;
};

/** The filters of a list of notifications; `children` come first. */
export function DeliveryFilters({ of, webhook, isSortable = true, children }: Shown) {
  const words = text.deliveries;
  return (
    <FilterBar of={of} path="/deliveries">
      {children}
      {webhook}
      <ChosenFilter of={of} name="event" label={words.event} options={text.event} />
      <ChosenFilter of={of} name="status" label={words.status} options={askedStatuses} />
      <AssetFilter of={of} />
      {isSortable && <SortFilter of={of} />}
      <ChainFilter of={of} />
      <WrittenFilter of={of} name="q" label={text.wallets.filters.q} isWide={true} />
      {of.filters.transaction_id !== undefined && (
        <WrittenFilter of={of} name="transaction_id" label={words.transactionId} isWide={true} />
      )}
    </FilterBar>
  );
}
