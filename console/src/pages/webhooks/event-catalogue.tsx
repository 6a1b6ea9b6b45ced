import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Card } from "../../ui/frame/card.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import type { webhooks } from "../../wire/generated/api-paths.ts";

type Row = { event: string; when: string };

// An event of the API that has no text does not compile.
const meanings = text.eventMore satisfies Record<keyof webhooks, string>;

const rows: readonly Row[] = Object.entries(meanings).map(([event, when]) => ({ event, when }));

const columns: readonly Column<Row>[] = [
  {
    name: "event",
    head: text.deliveries.event,
    cell: ({ event }) => <a href={addressOf("/deliveries", { event })}>{event}</a>,
  },
  { name: "when", head: text.webhooks.when, cell: ({ when }) => when },
];

/** Every event with its occasion, and a link to its notifications. */
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
