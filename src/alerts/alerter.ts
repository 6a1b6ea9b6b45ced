import type { AlertLedger } from "../domain/alerts/alert-ledger.ts";
import { conditionsOf, type Snapshot } from "../domain/alerts/conditions.ts";
import { type AlertPolicy, decide } from "../domain/alerts/decide.ts";
import { createLoop, type Loop } from "../runtime/loop.ts";
import type { AlertChannel } from "./channel.ts";
import { createOutage } from "./outage.ts";
import { everyMs, longestPauseMs, pauseAfter, type SendPorts, sendOnce } from "./send-once.ts";

type AlerterPorts = SendPorts & {
  ledger: AlertLedger;
  readSnapshot: (nowMs: number) => Promise<Snapshot>;
};

/** The most messages that one look sends to a channel. */
const mostAtOnce = 20;

/**
 * Alerts the operator. Reads the state of chains, processes and deliveries in the ledger, and the
 * alerts stored there. Sends messages about what has changed. Only one process at a time does so.
 * Never unhealthy: no other part depends on it.
 */
export function createAlerter(ports: AlerterPorts, policy: AlertPolicy): Loop {
  const { ledger, readSnapshot, channels, clock, log } = ports;
  const outage = createOutage(ports, policy);

  async function look(): Promise<boolean> {
    if (!(await ledger.takeLease())) return false;
    const nowMs = clock.now();
    const conditions = conditionsOf(await readSnapshot(nowMs), nowMs);
    const { message, givenUp } = await ledger.settle(
      channels.map(({ name }) => name),
      (states, atMs) => decide(states, conditions, atMs, policy),
    );
    for (const { name, status, subject, summary } of message?.alerts ?? [])
      if (status === "resolved") log.info({ name, subject, summary }, "alert.resolved");
      else log.warn({ name, subject, summary }, `alert.${status}`);
    if (givenUp > 0) log.warn({ messages: givenUp }, "alert.given_up");
    return true;
  }

  async function sendDue(channel: AlertChannel, signal: AbortSignal): Promise<void> {
    for (let sent = 0; sent < mostAtOnce && !signal.aborted; sent += 1) {
      const due = await ledger.readDue(channel.name, longestPauseMs);
      if (due === null) return;
      const { id } = due.message;
      const failure = await sendOnce(ports, channel, due, signal);
      if (failure === null) {
        await ledger.recordSent(channel.name, id);
        continue;
      }
      // The stop of this process ended the attempt, so the failure says nothing about the channel.
      if (signal.aborted) return;
      const againInMs = pauseAfter(due.attempts);
      return ledger.recordFailure(channel.name, { id, failure, againInMs });
    }
  }

  const loop = createLoop({
    name: "alerts",
    async step(signal) {
      const isOurs = await outage.around(look, signal);
      if (isOurs) await Promise.all(channels.map((channel) => sendDue(channel, signal)));
      log.debug({ isOurs }, "alert.looked");
      return "idle";
    },
    onError: (error, failures) => log.warn({ error, failures }, "alert.look_failed"),
    clock,
    pollMs: everyMs,
    maxBackoffMs: everyMs,
    stuckAfterMs: null,
  });
  return {
    ...loop,
    async stop() {
      await loop.stop();
      await ledger
        .releaseLease()
        .catch((error: unknown) => log.debug({ error }, "alert.lease_not_released"));
    },
  };
}
