import { shortId } from "../../format/short.ts";
import { text, wordOf } from "../../text/text.ts";
import { type Column, Table } from "../../ui/data/table.tsx";
import { When } from "../../ui/show/when.tsx";
import type { Schema } from "../../wire/api.ts";
import { DeliveryBadge } from "./delivery-badge.tsx";

type Notification = Schema<"Notification">;

const columns: readonly Column<Notification>[] = [
  {
    name: "event",
    head: text.deliveries.event,
    cell: (row) => (
      <>
        {wordOf(text.event, row.event)}
        <span class="second mono" title={row.id}>
          …{shortId(row.id)}
        </span>
      </>
    ),
  },
  {
    name: "status",
    head: text.deliveries.status,
    cell: (row) => <DeliveryBadge status={row.status} />,
  },
  {
    name: "attempts",
    head: text.deliveries.attempts,
    isEnd: true,
    from: "middle",
    cell: (row) => row.attempt_count,
  },
  {
    name: "delivered",
    head: text.deliveries.delivered,
    from: "wide",
    cell: (row) =>
      row.delivered_at === null ? <span class="faint">–</span> : <When at={row.delivered_at} />,
  },
  {
    name: "created",
    head: text.deliveries.created,
    isEnd: true,
    cell: (row) => (
      <span class="muted">
        <When at={row.created_at} />
      </span>
    ),
  },
];

type Shown = {
  rows: readonly Notification[];
  hrefOf: (row: Notification) => string;
  chosenId?: string | null;
};

/** Notifications and what became of them, the newest first. */
export function DeliveriesTable({ rows, hrefOf, chosenId = null }: Shown) {
  return (
    <Table
      caption={text.deliveries.title}
      columns={columns}
      rows={rows}
      idOf={(row) => row.id}
      hrefOf={hrefOf}
      chosenId={chosenId}
    />
  );
}
