import { countText } from "../../format/amount.ts";
import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Foreign } from "../../ui/show/foreign.tsx";
import { When } from "../../ui/show/when.tsx";
import type { Column } from "../../ui/table/table.tsx";
import { TableCard } from "../../ui/table/table-card.tsx";
import type { Outbox } from "./outbox.ts";

type Waiting = Outbox["businesses"][number];

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
  {
    name: "waiting",
    head: text.outbox.waiting,
    isEnd: true,
    cell: ({ waiting }) => countText(waiting),
  },
  { name: "held", head: text.outbox.held, isEnd: true, cell: ({ held }) => countText(held) },
  {
    name: "oldest",
    head: text.outbox.oldest,
    isEnd: true,
    cell: ({ oldest_waiting_at: at }) => (at === null ? "–" : <When at={at} />),
  },
];

/** The deliveries that wait, business by business. */
export function WaitingCard({ rows }: { rows: readonly Waiting[] }) {
  const none = { icon: "outbox", title: text.outbox.nothingWaits } as const;
  const title = text.outbox.byBusiness;
  return <TableCard {...{ title, none, columns, rows }} idOf={({ business_id: id }) => id} />;
}
