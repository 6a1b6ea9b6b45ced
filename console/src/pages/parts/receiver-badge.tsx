import { text, wordOf } from "../../text/text.ts";
import { Badge } from "../../ui/show/badge.tsx";
import type { Schema } from "../../wire/api.ts";

/** The badge of a webhook: that events are sent to it, or why not. */
export function ReceiverBadge({ of }: { of: Schema<"WebhookHealth"> }) {
  if (!of.is_active)
    return (
      <Badge tone="bad">
        {of.disabled_reason === null
          ? text.webhooks.inactive
          : wordOf(text.webhooks.reasons, of.disabled_reason)}
      </Badge>
    );
  if (of.circuit === "open") return <Badge tone="warn">{text.webhooks.circuit}</Badge>;
  return <Badge tone="good">{text.webhooks.active}</Badge>;
}
