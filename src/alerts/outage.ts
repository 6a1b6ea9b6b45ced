import { ledgerUnreadable } from "../domain/alerts/conditions.ts";
import { type AlertPolicy, type AlertState, decide } from "../domain/alerts/decide.ts";
import { type AlertMessage, messageOf } from "../domain/alerts/message.ts";
import { faultIn } from "../domain/fault.ts";
import { idAt } from "../domain/id.ts";
import type { AlertChannel } from "./channel.ts";
import { pauseAfter, type SendPorts, sendOnce } from "./send-once.ts";

type Unsent = { channel: AlertChannel; message: AlertMessage; attempts: number; dueMs: number };

/**
 * The only alert that cannot be stored in the ledger: that the ledger cannot be read. It is
 * remembered by the process that last had the lease, so only one process sends it.
 */
export function createOutage(ports: SendPorts, policy: AlertPolicy) {
  const { channels, installation, clock } = ports;
  let isOurs = false;
  let states: AlertState[] = [];
  let unsent: Unsent[] = [];

  async function note(isOut: boolean, signal: AbortSignal): Promise<void> {
    const atMs = clock.now();
    const decided = decide(states, isOut ? [ledgerUnreadable] : [], atMs, policy);
    states = decided.states;
    if (decided.news.length > 0) {
      const message = messageOf(decided.news, { id: idAt(atMs), installation, atMs });
      const dueMs = clock.elapsed();
      unsent.push(...channels.map((channel) => ({ channel, message, attempts: 0, dueMs })));
    }
    const left = await Promise.all(unsent.map((one) => attempt(one, signal)));
    unsent = left.filter((one) => one !== null);
  }

  async function attempt(one: Unsent, signal: AbortSignal): Promise<Unsent | null> {
    if (clock.elapsed() < one.dueMs) return one;
    const failure = await sendOnce(ports, one.channel, one, signal);
    if (failure === null) return null;
    const dueMs = clock.elapsed() + pauseAfter(one.attempts);
    return { ...one, attempts: one.attempts + 1, dueMs };
  }

  return {
    /**
     * Runs a look, and returns whether this process has the lease. If the look throws, notes that,
     * and throws the same.
     */
    async around(look: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
      try {
        isOurs = await look();
      } catch (error) {
        if (isOurs && faultIn(error)?.code === "database_unavailable") await note(true, signal);
        throw error;
      }
      if (states.length > 0 || unsent.length > 0) await note(false, signal);
      return isOurs;
    },
  };
}
