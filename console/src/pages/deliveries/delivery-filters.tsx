import { text } from "../../text/text.ts";
import {
  ChosenFilter,
  FilterBar,
  type TimedFiltering,
  WrittenFilter,
} from "../parts/filters/filter-bar.tsx";
import type { DeliveryFilter } from "./query.ts";

/** The filters of the list of notifications. */
export function DeliveryFilters({ of }: { of: TimedFiltering<DeliveryFilter> }) {
  const words = text.deliveries;
  return (
    <FilterBar of={of} path="/deliveries">
      <ChosenFilter of={of} name="event" label={words.event} options={text.event} />
      <ChosenFilter of={of} name="status" label={words.status} options={text.deliveryStatus} />
      <WrittenFilter of={of} name="q" label={text.wallets.filters.q} isWide={true} />
      <WrittenFilter of={of} name="transaction_id" label={words.transactionId} isWide={true} />
    </FilterBar>
  );
}
