import { countText } from "../../format/amount.ts";
import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Foreign } from "../../ui/show/foreign.tsx";
import { When } from "../../ui/show/when.tsx";
import type { Column } from "../../ui/table/table.tsx";
import { TableCard } from "../../ui/table/table-card.tsx";
import { AttemptBadge } from "../parts/attempt-badge.tsx";
import type { Outbox } from "./outbox.ts";
import { receiverColumn } from "./receiver-column.tsx";

type Failures = Outbox["failures"][number];

/** The letters of an answer that a list shows; the notification has all that was kept. */
const shownAtMost = 200;

const columns: readonly Column<Failures>[] = [
  receiverColumn,
  { name: "cause", head: text.outbox.cause, cell: (row) => <AttemptBadge of={row} /> },
  { name: "failed", head: text.outbox.failed, isEnd: true, cell: (row) => countText(row.attempts) },
  {
    name: "answer",
    head: text.outbox.lastAnswer,
    from: "middle",
    cell: ({ response, notification_id: id, business_id, webhook_id }) => (
      <>
        <span class="break">
          <Foreign text={(response ?? "").slice(0, shownAtMost)} />
        </span>
        <a class="second" href={addressOf(`/deliveries/${id}`, { business_id, webhook_id })}>
          {text.outbox.showAttempts}
        </a>
      </>
    ),
  },
  {
    name: "since",
    head: text.outbox.since,
    from: "wide",
    cell: ({ first_at: at }) => <When at={at} />,
  },
  {
    name: "last",
    head: text.outbox.last,
    isEnd: true,
    cell: ({ last_at: at }) => <When at={at} />,
  },
];

/** The failed attempts by receiver and cause, the most frequent first. */
export function FailuresCard({ rows }: { rows: readonly Failures[] }) {
  const none = { icon: "webhooks", title: text.outbox.noFailures } as const;
  const title = text.outbox.failures;
  const idOf = (row: Failures) => `${row.webhook_id} ${row.status_code ?? row.error}`;
  return <TableCard {...{ title, none, columns, rows, idOf }} />;
}
