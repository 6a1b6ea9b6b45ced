import { fillCount, text, wordOf } from "../../text/text.ts";
import { Badge } from "../../ui/show/badge.tsx";
import type { Schema } from "../../wire/api.ts";

/**
 * The verdict on a webhook: that it accepts what is sent to it, or why not. It is never green after
 * an attempt that failed. `off` stands for a webhook that is not active; left out: the reason.
 */
export function ReceiverBadge({ of, off }: { of: Schema<"WebhookHealth">; off?: string }) {
  const words = text.webhooks;
  if (!of.is_active) {
    const why = of.disabled_reason;
    return (
      <Badge tone="bad">
        {off ?? (why === null ? words.inactive : wordOf(words.reasons, why))}
      </Badge>
    );
  }
  if (of.circuit === "open") return <Badge tone="warn">{words.circuit}</Badge>;
  const failures = of.consecutive_failures;
  if (failures > 0) return <Badge tone="warn">{fillCount(words.lastFailed, failures)}</Badge>;
  return <Badge tone="good">{words.active}</Badge>;
}
