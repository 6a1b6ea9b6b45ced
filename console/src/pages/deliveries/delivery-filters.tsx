import type { Filters } from "../../route/filters.ts";
import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Choice } from "../../ui/act/choice.tsx";
import { Written } from "../../ui/act/written.tsx";
import type { DeliveryFilter } from "./query.ts";

type Shown = {
  filters: Filters<DeliveryFilter>;
  change: (name: DeliveryFilter, value: string) => void;
};

/** What the list of notifications is limited to. */
export function DeliveryFilters({ filters, change }: Shown) {
  return (
    <div class="filters">
      <Choice
        label={text.deliveries.event}
        value={filters.event ?? ""}
        any={text.common.any}
        options={text.event}
        onChange={(value) => change("event", value)}
      />
      <Choice
        label={text.deliveries.status}
        value={filters.status ?? ""}
        any={text.common.any}
        options={text.deliveryStatus}
        onChange={(value) => change("status", value)}
      />
      <Written
        label={text.deliveries.transactionId}
        value={filters.transaction_id ?? ""}
        isWide={true}
        onChange={(value) => change("transaction_id", value)}
      />
      {(["from", "to"] as const).map((name) => (
        <Written
          key={name}
          label={text.common[name]}
          type="date"
          value={filters[name] ?? ""}
          onChange={(value) => change(name, value)}
        />
      ))}
      {Object.keys(filters).some((name) => name !== "cursor") && (
        <a class="button button-quiet" href={addressOf("/deliveries")}>
          {text.common.clearFilters}
        </a>
      )}
    </div>
  );
}
