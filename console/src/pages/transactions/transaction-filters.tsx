import type { Filters } from "../../route/filters.ts";
import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Choice } from "../../ui/act/choice.tsx";
import { Written } from "../../ui/act/written.tsx";
import type { TransactionFilter } from "./query.ts";

type Shown = {
  filters: Filters<TransactionFilter>;
  change: (name: TransactionFilter, value: string) => void;
};

/** What the list of transactions is limited to. */
export function TransactionFilters({ filters, change }: Shown) {
  const isFiltered = Object.keys(filters).some((name) => name !== "cursor");
  const written = (name: "asset" | "blockchain" | "tx_hash" | "wallet_id", isWide = false) => (
    <Written
      label={text.transactions.filters[name]}
      value={filters[name] ?? ""}
      isWide={isWide}
      onChange={(value) => change(name, value)}
    />
  );
  return (
    <div class="filters">
      <Choice
        label={text.transactions.type}
        value={filters.type ?? ""}
        any={text.transactions.anyType}
        options={text.transactionType}
        onChange={(value) => change("type", value)}
      />
      <Choice
        label={text.transactions.status}
        value={filters.status ?? ""}
        any={text.common.any}
        options={text.transactionStatus}
        onChange={(value) => change("status", value)}
      />
      {written("asset")}
      {written("blockchain")}
      {written("tx_hash", true)}
      {filters.wallet_id !== undefined && written("wallet_id", true)}
      {(["from", "to"] as const).map((name) => (
        <Written
          key={name}
          label={text.common[name]}
          type="date"
          value={filters[name] ?? ""}
          onChange={(value) => change(name, value)}
        />
      ))}
      {isFiltered && (
        <a class="button button-quiet" href={addressOf("/transactions")}>
          {text.common.clearFilters}
        </a>
      )}
    </div>
  );
}
