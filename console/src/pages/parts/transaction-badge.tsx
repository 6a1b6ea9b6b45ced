import { text } from "../../text/text.ts";
import { Badge, type Tone } from "../../ui/show/badge.tsx";
import type { Schema } from "../../wire/api.ts";

type Status = Schema<"Transaction">["status"];

const tones = {
  pending: "warn",
  completed: "good",

  dropped: "plain",
  reversed: "bad",
} as const satisfies Readonly<Record<Status, Tone>>;

/** The status of a transaction. */
export function TransactionBadge({ status }: { status: Status }) {
  return <Badge tone={tones[status]}>{text.transactionStatus[status]}</Badge>;
}
