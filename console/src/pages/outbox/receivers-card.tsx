import { useFilters } from "../../route/filters.ts";
import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { When } from "../../ui/show/when.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { ReceiverBadge } from "../parts/receiver-badge.tsx";
import { WebhookToggle } from "../parts/webhook-toggle.tsx";
import { receiverColumn } from "./receiver-column.tsx";

type Receiver = Schema<"WebhookHealth"> & { business_id: string };

/** Every receiver and its state. Receivers in trouble are marked. */
export function ReceiversCard() {
  const { filters } = useFilters(["cursor"]);
  const { answer, again } = useAnswer(JSON.stringify(filters), ["deliveries", "webhook"], (as) =>
    answered(api.GET("/admin/webhooks", { params: { query: filters }, ...as })),
  );
  return (
    <ListCard
      title={text.outbox.receivers}
      answer={answer}
      again={again}
      empty={<Empty icon="webhooks" title={text.outbox.noReceivers} />}
    >
      {(rows) => (
        <Table
          caption={text.outbox.receivers}
          columns={columnsOf(again)}
          rows={rows}
          idOf={({ id }) => id}
        />
      )}
    </ListCard>
  );
}

function columnsOf(again: () => void): readonly Column<Receiver>[] {
  return [
    receiverColumn,
    { name: "state", head: text.webhooks.state, cell: (row) => <ReceiverBadge of={row} /> },
    {
      name: "failures",
      head: text.webhooks.failures,
      isEnd: true,
      from: "middle",
      cell: ({ consecutive_failures: count }) => count,
    },
    {
      name: "success",
      head: text.webhooks.lastSuccess,
      from: "middle",
      cell: ({ last_success_at: at, id }) => (
        <>
          {at === null ? text.webhooks.never : <When at={at} />}
          <a class="second nowrap" href={addressOf("/audit", { subject: id })}>
            {text.outbox.changes}
          </a>
        </>
      ),
    },
    {
      name: "toggle",
      head: text.common.actions,
      isHeadHidden: true,
      isEnd: true,
      cell: (row) => <WebhookToggle id={row.id} isActive={row.is_active} again={again} />,
    },
  ];
}
