import { askAfterId, askFeed, type FeedAnswer, type FeedOptions } from "../feed/ask-feed.ts";
import { FeedFault } from "../feed/feed-fault.ts";
import type { Notification } from "../notification.ts";
import { pause } from "../pause.ts";
import { applyOnce, type Memory } from "../remember.ts";
import type { HandledStore, Hole } from "./handled-store.ts";

/**
 * - `filled`: the feed had what was missing, and it is now handled.
 * - `restored`: the same, but the database was restored to an earlier state. It no longer knows the
 *   handled notification before the gap.
 * - `lost`: the feed no longer has all of it. Compare with GET /transactions.
 */
export type DeliveryGap = {
  kind: "filled" | "restored" | "lost";
  blockchain: string;
  /** The notification that arrived, although the one before it did not. */
  beforeId: string;
  /** The number of notifications that were handled to fill the gap. */
  applied: number;
};

export type FillOptions = Pick<FeedOptions, "url" | "apiKey" | "limit"> & {
  /** The store in which the receiver notes what it has handled. */
  handled: HandledStore;
  /** The handler of the receiver. */
  onNotification: (notification: Notification) => unknown;
  /** The memory of the receiver. A memory within one process does not protect other processes. */
  memory: Memory;
  /**
   * Give it if the webhook has a filter: true for a notification that the filter lets pass. Without
   * it, everything that the feed has in the gap is handled.
   */
  isWanted?: (notification: Notification) => boolean;
  /** The least age of a hole, in ms, because Chainbell sends several at once. Default 60,000. */
  graceMs?: number;
  /** Ends `fillGaps`. The gap under way is not finished. */
  signal?: AbortSignal;
  /** Called when a gap is done. If it rejects, the gap is handled again. */
  onGap?: (gap: DeliveryGap) => unknown;
  /** Called for each failure that is retried, for your log. It must not throw. */
  onError?: (error: unknown) => void;
};

const usualGraceMs = 60_000;

/** The longest pause between two looks for holes, in ms. A shorter `graceMs` makes it shorter. */
const longestPauseMs = 15_000;

/**
 * Finds the notifications that never reached a webhook, by the header `webhook-previous`, and
 * handles them from the feed. Runs until the signal is aborted. If such a notification arrives at
 * the same time, `memory` makes sure that it is handled once. Failures are retried. Neither a
 * restored database nor deletions by retention end it.
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
  const breaks = new Set<Break>();
  let hasPrevious = false;
  let applied = 0;
  for await (const one of readHole(hole, options, signal)) {
    if (typeof one === "string") {
      breaks.add(one);
      continue;
    }
    const { id, sequence = 0 } = one;
    if (id !== previousId && !isWanted(one)) continue;
    const outcome = await applyOnce(options, one);
    if (outcome.kind === "failed") throw outcome.error;
    if (outcome.kind === "applied") applied += 1;
    await handled.note({ id, blockchain, sequence, previousId: null });
    hasPrevious ||= id === previousId;
  }
  const isLost = breaks.has("lost") || !hasPrevious;
  const kind = isLost ? "lost" : breaks.has("restored") ? "restored" : "filled";
  await onGap?.({ kind, blockchain, beforeId, applied });
  // Marks the hole as closed.
  await handled.note({ ...before, previousId: null });
}

/** The reason why the feed does not continue after the handled notification: see `DeliveryGap`. */
type Break = "restored" | "lost";

/** Where a hole begins in the feed: after a notification, or (null) with the oldest there is. */
type Beginning = { afterId: string | null; found: Break | null };

/**
 * The notifications of the feed in a hole, oldest first. Also says if they do not continue after
 * `after`.
 */
async function* readHole(
  { before, after }: Hole,
  { url, apiKey, limit = 500, handled }: FillOptions,
  signal: AbortSignal,
): AsyncGenerator<Notification | Break> {
  const asked = { url, apiKey, limit, blockchain: before.blockchain, waitSec: 0 };
  const read = (first: FeedAnswer) => readUpTo(before.sequence, { first, asked, signal });
  const first = await askAfterId(asked, after.id, signal);
  if (first !== null && first.kind !== "restored") return yield* read(first);
  const kept = read(await askFeed(asked, null, signal));
  const { afterId, found } = await beginningIn(kept, { after, handled, limit });
  if (found !== null) yield found;
  const begun = await (afterId === null
    ? askFeed(asked, null, signal)
    : askAfterId(asked, afterId, signal));
  if (begun === null) throw changedMeanwhile();
  yield* read(begun);
}

type Reading = { first: FeedAnswer; asked: FeedOptions; signal: AbortSignal };

/** The notifications below a sequence, starting with an answer of the feed. */
async function* readUpTo(
  sequence: number,
  { first, asked, signal }: Reading,
): AsyncGenerator<Notification | "lost"> {
  for (let answer = first; ; answer = await askFeed(asked, answer.cursor, signal)) {
    if (answer.kind === "restored") throw changedMeanwhile();
    const page = answer.kind === "page" ? answer.notifications : null;
    if (page === null) yield "lost";
    for (const one of page ?? []) {
      if ((one.sequence ?? 0) >= sequence) return;
      yield one;
    }
    if (page?.length === 0) return;
  }
}

/**
 * Finds where to continue if Chainbell no longer has `after`: behind the last notification of the
 * feed that is noted. So nothing is handled twice, even if the memory has dropped its id. If none
 * is noted, everything in the feed belongs to the hole.
 */
async function beginningIn(
  kept: AsyncGenerator<Notification | "lost">,
  { after, handled, limit }: Pick<Hole, "after"> & { handled: HandledStore; limit: number },
): Promise<Beginning> {
  let oldest: number | null = null;
  let afterId: string | null = null;
  let ids: string[] = [];
  const look = async () => {
    const noted = new Set(await handled.noted(ids));
    afterId = ids.findLast((id) => noted.has(id)) ?? afterId;
    ids = [];
  };
  for await (const one of kept) {
    if (one === "lost") continue;
    oldest ??= one.sequence ?? null;
    if (ids.push(one.id) === limit) await look();
  }
  await look();
  // Only a restore gives out the same numbers again. Otherwise retention has deleted the oldest.
  if (afterId !== null || (oldest !== null && oldest <= after.sequence))
    return { afterId, found: "restored" };
  return { afterId, found: oldest === after.sequence + 1 ? null : "lost" };
}

function changedMeanwhile(): FeedFault {
  return new FeedFault("unavailable", "The feed has changed meanwhile: the gap is read again.");
}
