import type { Notification } from "../notification.ts";
import { pause } from "../pause.ts";
import { askFeed, type FeedAnswer, type FeedOptions, isWholeFeed } from "./ask-feed.ts";
import { checkPage } from "./check-page.ts";
import { FeedFault } from "./feed-fault.ts";

/** Notifications that the store handles in one go. */
export type FeedPage = {
  /** Oldest first, and in order for each blockchain. May be empty. */
  notifications: readonly Notification[];
  /** To be stored with what the notifications have effected. */
  cursor: string;
};

/**
 * Keeps where a consumer is, and does what a notification is for. Two examples are in examples/:
 * consume-in-postgres.mjs and consume-to-file.mjs.
 */
export type FeedStore = {
  /** The cursor of the last commit; null before the first. */
  read(): Promise<string | null>;
  /**
   * Handles the notifications, leaves out those whose id it has, and stores the cursor. In one
   * transaction of yours each event counts exactly once. Otherwise it counts at least once. Where
   * it rejects, the page comes again.
   */
  commit(page: FeedPage): Promise<void>;
};

/**
 * - `restored`: the database was restored to an earlier state. The consumer begins anew with the
 *   oldest notification that is kept. Nothing is lost: the store leaves out the ids that it has.
 * - `expired`: retention has removed notifications that this consumer has not had. Compare with
 *   GET /transactions.
 */
export type FeedGap = {
  kind: "restored" | "expired";
  /** The cursor that cannot be gone on from. */
  lost: string | null;
  /** The cursor to go on from. */
  cursor: string;
};

export type ConsumeOptions = FeedOptions & {
  store: FeedStore;
  /** Ends the consumer: the page under way is still committed. */
  signal?: AbortSignal;
  /**
   * Hears of each gap, and is awaited before the consumer goes on behind it. Without it a gap of
   * the kind `expired` ends the consumer.
   */
  onGap?: (gap: FeedGap) => unknown;
  /** Hears of each failure that is tried again, for your log. It must not throw. */
  onError?: (error: unknown, failures: number) => void;
};

/** Pauses after failures, in ms: they double from the first to the longest. */
const pauses = { firstMs: 1_000, longestMs: 30_000 };

/**
 * Reads the feed and hands it to the store, page by page, until the signal is aborted. Pages are
 * checked first: see `checkPage`. Failures of the network, of Chainbell and of the store are tried
 * again, after a pause that doubles up to 30 s. Give each store one consumer at a time.
 * @throws FeedFault `refused`, and `expired` where there is no `onGap`
 */
export async function consume(options: ConsumeOptions): Promise<void> {
  const { store, signal = new AbortController().signal, onError } = options;
  let failures = 0;
  let cursor: string | null | undefined;
  while (!signal.aborted) {
    try {
      // After a failure the store alone knows whether the last page was committed.
      if (cursor === undefined) cursor = await store.read();
      const answer = await askFeed(options, cursor, signal);
      await take(answer, { after: cursor, options });
      cursor = answer.cursor;
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof FeedFault && isFinal(error)) throw error;
      failures += 1;
      onError?.(error, failures);
      cursor = undefined;
      await pause(pauseAfter(error, failures), signal);
    }
  }
}

async function take(
  answer: FeedAnswer,
  { after, options }: { after: string | null; options: ConsumeOptions },
): Promise<void> {
  const { store, onGap } = options;
  const { cursor } = answer;
  if (answer.kind === "page") {
    const { notifications } = answer;
    checkPage({ after, cursor, notifications, isWhole: isWholeFeed(options) });
    if (cursor !== after) await store.commit({ notifications, cursor });
    return;
  }
  const { kind } = answer;
  if (kind === "expired" && onGap === undefined)
    throw new FeedFault(
      "expired",
      "Retention has removed notifications that this consumer has not had: give onGap to go on.",
    );
  await onGap?.({ kind, lost: after, cursor });
  await store.commit({ notifications: [], cursor });
}

const isFinal = ({ code }: FeedFault) => code === "refused" || code === "expired";

/** Half of it is random, so that consumers that failed together do not come back together. */
function pauseAfter(error: unknown, failures: number): number {
  const doubled = pauses.firstMs * 2 ** Math.min(failures - 1, 10);
  const mostMs = Math.min(doubled, pauses.longestMs);
  const asked = error instanceof FeedFault ? (error.retryAfterMs ?? 0) : 0;
  return Math.max(asked, mostMs / 2 + Math.random() * (mostMs / 2));
}
