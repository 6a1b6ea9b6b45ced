import { countText } from "../../format/amount.ts";
import { durationText } from "../../format/time.ts";
import { text } from "../../text/text.ts";
import type { Column } from "../../ui/table/table.tsx";
import { TableCard } from "../../ui/table/table-card.tsx";
import type { Outbox } from "./outbox.ts";
import { receiverColumn } from "./receiver-column.tsx";

type Slow = Outbox["receivers"][number];

const columns: readonly Column<Slow>[] = [
  receiverColumn,
  {
    name: "attempts",
    head: text.deliveries.attempts,
    isEnd: true,
    from: "middle",
    cell: (row) => countText(row.attempts),
  },
  { name: "failed", head: text.outbox.failed, isEnd: true, cell: (row) => countText(row.failed) },
  {
    name: "p50",
    head: text.outbox.half,
    isEnd: true,
    from: "middle",
    cell: (row) => durationText(row.p50_ms),
  },
  { name: "p95", head: text.outbox.most, isEnd: true, cell: (row) => durationText(row.p95_ms) },
];

/** The receivers that took longest. */
export function SlowestCard({ rows }: { rows: readonly Slow[] }) {
  const none = { icon: "webhooks", title: text.outbox.noAttempts } as const;
  const title = text.outbox.slowest;
  return <TableCard {...{ title, none, columns, rows }} idOf={(row) => row.webhook_id} />;
}
