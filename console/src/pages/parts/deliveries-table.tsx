import { shortId } from "../../format/short.ts";
import { text, wordOf } from "../../text/text.ts";
import { When } from "../../ui/show/when.tsx";
import type { Column } from "../../ui/table/table.tsx";
import { tableOf } from "../../ui/table/table-of.tsx";
import { statusColumn, timeColumn } from "../../ui/table/time-column.tsx";
import type { Schema } from "../../wire/api.ts";
import { DeliveryBadge } from "./delivery-badge.tsx";
import { LastAttempt } from "./last-attempt.tsx";
import { NotifiedMoney } from "./notified-money.tsx";
import { notifiedNumber } from "./notified-number.ts";

type Notification = Schema<"Notification">;

/** The columns of a notification in a list. */
export const deliveryColumns: readonly Column<Notification>[] = [
  {
    name: "event",
    head: text.deliveries.event,
    cell: (row) => (
      <>
        {wordOf(text.event, row.event)}
        <span class="second mono nowrap" title={row.id}>
          {notifiedNumber(row.payload) ?? `…${shortId(row.id)}`}
        </span>
        <span class="second until-middle">
          <NotifiedMoney of={row} />
        </span>
      </>
    ),
  },
  {
    name: "money",
    head: text.transactions.amount,
    from: "middle",
    cell: (row) => <NotifiedMoney of={row} />,
  },
  statusColumn({
    head: text.deliveries.status,
    status: (row) => <DeliveryBadge status={row.status} />,
    at: (row) => row.created_at,
  }),
  {
    name: "last",
    head: text.outbox.lastAnswer,
    from: "wide",
    cell: (row) => <LastAttempt of={row} />,
  },
  {
    name: "delivered",
    head: text.deliveries.delivered,
    from: "wide",
    cell: (row) =>
      row.delivered_at === null ? <span class="faint">–</span> : <When at={row.delivered_at} />,
  },
  timeColumn(text.deliveries.created, (row) => row.created_at, "middle"),
];

/** Notifications and their outcomes, the newest first. */
export const DeliveriesTable = tableOf({
  caption: text.deliveries.title,
  columns: deliveryColumns,
  idOf: ({ id }) => id,
});
