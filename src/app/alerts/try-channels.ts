import type { AlertChannel } from "../../alerts/channel.ts";
import { failureText } from "../../alerts/failure-of.ts";
import type { AlertMessage } from "../../domain/alerts/message.ts";
import { idAt } from "../../domain/id.ts";
import { systemClock as clock } from "../../runtime/clock.ts";
import type { Redaction } from "../../runtime/redaction.ts";

type Tried = { channel: string; taken: boolean; answer: string };

/** Sends a test message to all channels at once, and returns what each answered. Never throws. */
export function tryChannels(
  channels: readonly AlertChannel[],
  { text: redact }: Pick<Redaction, "text">,
): Promise<Tried[]> {
  const message = testMessage(clock.now());
  const { signal } = new AbortController();
  return Promise.all(
    channels.map(async (channel): Promise<Tried> => {
      try {
        const answer = await channel.send(message, signal);
        return { channel: channel.name, taken: true, answer: redact(answer) };
      } catch (thrown) {
        return { channel: channel.name, taken: false, answer: redact(failureText(thrown)) };
      }
    }),
  );
}

/** Made without a database, so it names no installation. */
function testMessage(nowMs: number): AlertMessage {
  const at = new Date(nowMs).toISOString();
  const test = {
    ...({ name: "ChainbellTest", status: "began", severity: "warning", subject: null } as const),

    summary: "This is a test: alerts reach you here.",
    since: at,
    runbook: "docs/operations.md#alerts",
  };
  return {
    id: idAt(nowMs),
    event: "alerts",
    created_at: at,
    installation: "test",
    alerts: [test],
  };
}
