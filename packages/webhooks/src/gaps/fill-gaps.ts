import { type After, askFeed, type FeedOptions } from "../feed/ask-feed.ts";
import { FeedFault } from "../feed/feed-fault.ts";
import type { Notification } from "../notification.ts";
import { pause } from "../pause.ts";
import { applyOnce, type Memory } from "../remember.ts";
import type { HandledStore, Hole } from "./handled-store.ts";

/**
 * - `filled`: the feed had what was missing, and it was handled.
 * - `lost`: the feed does not have all of it any more. Compare with GET /transactions.
 */
export type DeliveryGap = {
  kind: "filled" | "lost";
  blockchain: string;
  /** The notification that came, though the one before it had not come. */
  beforeId: string;
  /** The number of notifications that were handled for it now. */
  applied: number;
};

export type FillOptions = Pick<FeedOptions, "url" | "apiKey" | "limit"> & {
  /** The one in which the receiver notes what it has handled. */
  handled: HandledStore;
  /** The handler of the receiver. */
  onNotification: (notification: Notification) => unknown;
  /** The memory of the receiver. One of a process alone works in that process alone. */
  memory: Memory;
  /**
   * True for a notification that the webhook wants, where it has a filter. Without it all are
   * handled that the feed has in the gap.
   */
  isWanted?: (notification: Notification) => boolean;
  /** A hole is looked into after so many ms, since several are sent at once. Default 60,000. */
  graceMs?: number;
  /** Ends it: the gap under way is left as it is. */
  signal?: AbortSignal;
  /** Hears of each gap once it is filled or lost. If it rejects, the gap is looked into again. */
  onGap?: (gap: DeliveryGap) => unknown;
  /** Hears of each failure that is tried again, for your log. It must not throw. */
  onError?: (error: unknown) => void;
};

const usualGraceMs = 60_000;

/** Holes are looked for so often, in ms, and more often where the grace is shorter. */
const longestPauseMs = 15_000;

/**
 * Finds the notifications that a webhook was not given, by the header `webhook-previous`, and
 * handles them from the feed. It runs until the signal is aborted. A notification that arrives
 * meanwhile is handled once: the memory decides. Failures are tried again.
 * @throws FeedFault `refused`
 */
export async function fillGaps(options: FillOptions): Promise<void> {
  const { handled, graceMs = usualGraceMs, onError } = options;
  const { signal = new AbortController().signal } = options;
  while (!signal.aborted) {
    try {
      for (const hole of await handled.holes(graceMs)) await fill(hole, options, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof FeedFault && error.code === "refused") throw error;
      onError?.(error);
    }
    await pause(Math.min(longestPauseMs, Math.max(graceMs, 100)), signal);
  }
}

async function fill(hole: Hole, options: FillOptions, signal: AbortSignal): Promise<void> {
  const { handled, onGap, isWanted = () => true } = options;
  const { before } = hole;
  const { blockchain, id: beforeId, previousId } = before;
  let kind: DeliveryGap["kind"] = "lost";
  let applied = 0;
  let isWhole = true;
  for await (const one of readBetween(hole, options, signal)) {
    if (one === "break") {
      isWhole = false;
      continue;
    }
    const { id, sequence = 0 } = one;
    if (id !== previousId && !isWanted(one)) continue;
    const outcome = await applyOnce(options, one);
    if (outcome.kind === "failed") throw outcome.error;
    if (outcome.kind === "applied") applied += 1;
    await handled.note({ id, blockchain, sequence, previousId: null });
    if (id === previousId && isWhole) kind = "filled";
  }
  await onGap?.({ kind, blockchain, beforeId, applied });
  // The hole is closed.
  await handled.note({ ...before, previousId: null });
}

/**
 * The notifications of the feed in a hole, oldest first. `break`: the feed goes on from another
 * place, since the database was restored, or retention has removed what comes next.
 */
async function* readBetween(
  { before, afterId }: Hole,
  { url, apiKey, limit = 500 }: FillOptions,
  signal: AbortSignal,
): AsyncGenerator<Notification | "break"> {
  const asked = { url, apiKey, limit, blockchain: before.blockchain, waitSec: 0 };
  let after: After = { id: afterId };
  while (true) {
    const answer = await askFeed(asked, after, signal);
    if (answer.kind !== "page") yield "break";
    const page = answer.kind === "page" ? answer.notifications : null;
    for (const one of page ?? []) {
      if ((one.sequence ?? 0) >= before.sequence) return;
      yield one;
    }
    if (page?.length === 0) return;
    after = answer.cursor;
  }
}
