import { shorten } from "../../format/short.ts";
import { text } from "../../text/text.ts";
import { Badge } from "../../ui/show/badge.tsx";
import { When } from "../../ui/show/when.tsx";
import type { Column } from "../../ui/table/table.tsx";
import { tableOf } from "../../ui/table/table-of.tsx";
import { timeColumn } from "../../ui/table/time-column.tsx";
import type { Schema } from "../../wire/api.ts";
import { Customer } from "./customer.tsx";
import { TransactionAmount } from "./transaction-amount.tsx";
import { TransactionBadge } from "./transaction-badge.tsx";

type Transaction = Schema<"Transaction">;

const columns: readonly Column<Transaction>[] = [
  {
    name: "amount",
    head: text.transactions.amount,
    cell: (row) => (
      <>
        <TransactionAmount of={row} />
        <span class="second">
          {text.transactionType[row.type]} · {row.blockchain}
        </span>
        <Customer of={row} />
      </>
    ),
  },
  {
    name: "status",
    head: text.transactions.status,
    cell: (row) => (
      <>
        <TransactionBadge status={row.status} />
        {row.lookalike_of !== undefined && (
          <span class="second" title={row.lookalike_of}>
            <Badge tone="bad">{text.transactions.lookalike}</Badge>
          </span>
        )}
        <span class="second until-middle">
          <When at={row.date} />
        </span>
      </>
    ),
  },
  {
    name: "counterparty",
    head: text.transactions.fromTo,
    from: "wide",
    cell: (row) => (
      <span class="mono nowrap" title={`${row.from_address} → ${row.to_address}`}>
        {shorten(row.from_address)} → {shorten(row.to_address)}
      </span>
    ),
  },
  {
    name: "hash",
    head: text.transactions.hash,
    from: "wide",
    cell: (row) => (
      <span class="mono nowrap" title={row.tx_hash}>
        {shorten(row.tx_hash, 8, 6)}
      </span>
    ),
  },
  timeColumn(text.transactions.date, (row) => row.date, "middle"),
];

/** Transactions, the newest first. */
export const TransactionsTable = tableOf({
  caption: text.transactions.title,
  columns,
  idOf: ({ id }) => id,
});
