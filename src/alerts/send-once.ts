import type { DueAlert } from "../domain/alerts/alert-ledger.ts";
import type { ChannelName } from "../domain/alerts/alert-settings.ts";
import type { ChannelFailure } from "../domain/alerts/channel-failure.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import type { AlertChannel } from "./channel.ts";
import { failureOf } from "./failure-of.ts";

/** Counts an attempt. */
type OnSent = (channel: ChannelName, result: "sent" | "failed") => void;

/** The needs of making and sending messages. */
export type SendPorts = {
  channels: readonly AlertChannel[];
  /** The id of the database. */
  installation: string;
  onSent: OnSent;
  /** Removes the secrets of the configuration from the answer of a channel. */
  redact: (text: string) => string;
  clock: Clock;
  log: Logger;
};

/** The pause between two looks, in ms. */
export const everyMs = 30_000;

/** The longest pause between two attempts, in ms. */
export const longestPauseMs = 15 * 60_000;

/**
 * The pause before the next attempt for a failed message, in ms. The first is the pause between two
 * looks, and each is double the one before.
 */
export function pauseAfter(attempts: number): number {
  return Math.min(longestPauseMs, everyMs * 2 ** Math.min(attempts, 16));
}

/**
 * Makes one attempt. Returns null, or why the channel did not accept the message, without secrets
 * of the configuration. Each failure is counted, and only a message's first one is logged.
 */
export async function sendOnce(
  { onSent, redact, log }: Pick<SendPorts, "onSent" | "redact" | "log">,
  channel: AlertChannel,
  { message, attempts }: DueAlert,
  signal: AbortSignal,
): Promise<ChannelFailure | null> {
  try {
    const answer = redact(await channel.send(message, signal));
    onSent(channel.name, "sent");
    log.info({ channel: channel.name, id: message.id, answer }, "alert.sent");
    return null;
  } catch (thrown) {
    const failure = failureOf(thrown, redact);
    onSent(channel.name, "failed");
    const fields = { channel: channel.name, id: message.id, failure: failure.message };
    if (attempts === 0) log.warn(fields, "alert.not_sent");
    else log.debug(fields, "alert.not_sent");
    return failure;
  }
}
