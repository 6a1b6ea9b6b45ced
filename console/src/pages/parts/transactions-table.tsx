import { shorten } from "../../format/short.ts";
import { text } from "../../text/text.ts";
import type { Column } from "../../ui/table/table.tsx";
import { tableOf } from "../../ui/table/table-of.tsx";
import { statusColumn, timeColumn } from "../../ui/table/time-column.tsx";
import type { Schema } from "../../wire/api.ts";
import { Customer } from "./customer.tsx";
import { counterpartyColumn, LookalikeBadge } from "./movement-columns.tsx";
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
  statusColumn({
    head: text.transactions.status,
    status: (row) => (
      <>
        <TransactionBadge status={row.status} />
        <LookalikeBadge of={row} />
      </>
    ),
    at: (row) => row.date,
  }),
  counterpartyColumn,
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
