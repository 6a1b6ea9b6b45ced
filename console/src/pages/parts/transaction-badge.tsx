import { text } from "../../text/text.ts";
import { Badge, type Tone } from "../../ui/show/badge.tsx";
import type { Schema } from "../../wire/api.ts";

type Status = Schema<"Transaction">["status"];

const tones: Readonly<Record<Status, Tone>> = {
  pending: "warn",
  completed: "good",
  dropped: "plain",
  reversed: "bad",
};

/** The status of a transaction. */
export function TransactionBadge({ status }: { status: Status }) {
  return <Badge tone={tones[status]}>{text.transactionStatus[status]}</Badge>;
}
