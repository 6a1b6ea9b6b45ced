import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { type Column, Table } from "../../ui/data/table.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { When } from "../../ui/show/when.tsx";
import { readOptional } from "../../wire/optional.ts";
import { useAnswer } from "../../wire/use-answer.ts";

type Waiting = {
  business_id: string;
  name: string;
  waiting: number;
  held: number;
  oldest_waiting_at: string | null;
};

const columns: readonly Column<Waiting>[] = [
  {
    name: "business",
    head: text.businesses.one,
    cell: ({ business_id: id, name }) => (
      <a href={addressOf(`/businesses/${id}`)}>
        <Foreign text={name} />
      </a>
    ),
  },
  { name: "waiting", head: text.outbox.waiting, isEnd: true, cell: ({ waiting }) => waiting },
  { name: "held", head: text.outbox.held, isEnd: true, cell: ({ held }) => held },
  {
    name: "oldest",
    head: text.outbox.oldest,
    isEnd: true,
    cell: ({ oldest_waiting_at: at }) => (at === null ? "–" : <When at={at} />),
  },
];

/** What waits, business by business. Absent where the server does not answer it. */
export function WaitingCard() {
  const { answer } = useAnswer("outbox", ["outbox", "deliveries"], (as) =>
    readOptional<{ data: { businesses: Waiting[] } }>("/admin/outbox", {}, as),
  );
  if (answer.state !== "ready" || answer.value === null) return null;
  const rows = answer.value.data.businesses;
  return (
    <Card title={text.outbox.byBusiness} isFull={true}>
      {rows.length === 0 ? (
        <Empty icon="outbox" title={text.outbox.nothingWaits} />
      ) : (
        <Table
          caption={text.outbox.byBusiness}
          columns={columns}
          rows={rows}
          idOf={({ business_id: id }) => id}
        />
      )}
    </Card>
  );
}
