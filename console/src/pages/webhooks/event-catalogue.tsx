import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Card } from "../../ui/frame/card.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";

type Row = { event: keyof typeof text.event };

const rows: readonly Row[] = [
  { event: "transaction.deposit" },
  { event: "transaction.payment" },
  { event: "transaction.withdrawal" },
  { event: "transaction.reversed" },
  { event: "transaction.pending" },
  { event: "transaction.dropped" },
  { event: "webhook.test" },
];

const columns: readonly Column<Row>[] = [
  {
    name: "event",
    head: text.deliveries.event,
    cell: ({ event }) => <a href={addressOf("/deliveries", { event })}>{event}</a>,
  },
  { name: "when", head: text.webhooks.when, cell: ({ event }) => text.eventMore[event] },
];

/** Every event, when it comes, and the way to those that came. */
export function EventCatalogue() {
  return (
    <Card title={text.webhooks.catalogue} isFull={true}>
      <Table
        caption={text.webhooks.catalogue}
        columns={columns}
        rows={rows}
        idOf={({ event }) => event}
      />
    </Card>
  );
}
