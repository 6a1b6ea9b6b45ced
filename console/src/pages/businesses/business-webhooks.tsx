import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Foreign } from "../../ui/show/foreign.tsx";
import { When } from "../../ui/show/when.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { ReceiverBadge } from "../parts/receiver-badge.tsx";
import { WebhookToggle } from "../parts/webhook-toggle.tsx";
import { NewestRows } from "./newest-rows.tsx";

type Receiver = Schema<"WebhookHealth">;

type Changed = { businessId: string; again: () => void };

const columnsOf: (of: Changed) => readonly Column<Receiver>[] = ({ businessId, again }) => [
  {
    name: "url",
    head: text.webhooks.url,
    cell: (row) => (
      <>
        <Foreign text={row.url} />
        <span class="second">
          {text.webhooks.lastSuccess}:{" "}
          {row.last_success_at === null ? text.webhooks.never : <When at={row.last_success_at} />}
        </span>
        <span class="row row-wrap small">
          <a href={addressOf("/deliveries", { business_id: businessId, webhook_id: row.id })}>
            {text.attention.show.deliveries}
          </a>
          <a href={addressOf("/audit", { subject: row.id })}>{text.outbox.changes}</a>
        </span>
      </>
    ),
  },
  {
    name: "state",
    head: text.webhooks.state,
    cell: (row) => (
      <>
        <ReceiverBadge of={row} />
        {row.consecutive_failures > 0 && (
          <span class="second">
            {text.webhooks.failures}: {row.consecutive_failures}
          </span>
        )}
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

/** The webhooks of a business with their health, and pausing one as the operator. */
export function BusinessWebhooks({ id }: { id: string }) {
  const asked = useAnswer(id, ["webhook", "deliveries"], (as) => {
    const query = { business_id: id };
    return answered(api.GET("/admin/webhooks", { params: { query }, ...as }));
  });
  const { title, none } = text.webhooks;
  const columns = columnsOf({ businessId: id, again: asked.again });
  return (
    <NewestRows {...asked} none={none}>
      {(rows) => <Table caption={title} columns={columns} rows={rows} idOf={(row) => row.id} />}
    </NewestRows>
  );
}
