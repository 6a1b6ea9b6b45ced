import { text } from "../../text/text.ts";
import { Badge, type Tone } from "../../ui/show/badge.tsx";
import type { Schema } from "../../wire/api.ts";

type Status = Schema<"Notification">["status"];

const tones: Readonly<Record<Status, Tone>> = {
  waiting: "warn",
  delivered: "good",
  exhausted: "bad",
  held: "accent",
  cancelled: "plain",
  filtered: "plain",
};

/** The status of a notification's delivery. */
export function DeliveryBadge({ status }: { status: Status }) {
  return <Badge tone={tones[status]}>{text.deliveryStatus[status]}</Badge>;
}
