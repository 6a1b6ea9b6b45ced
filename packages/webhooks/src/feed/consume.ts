import type { Notification } from "../notification.ts";
import { pause } from "../pause.ts";
import { askFeed, type FeedAnswer, type FeedOptions, isWholeFeed } from "./ask-feed.ts";
import { checkPage } from "./check-page.ts";
import { FeedFault } from "./feed-fault.ts";

/** Notifications that the store handles together. */
export type FeedPage = {
  /** Oldest first, and in order for each blockchain. May be empty. */
  notifications: readonly Notification[];
  /** Store it together with the effects of the notifications. */
  cursor: string;
};

/**
 * Stores the position of a consumer, and handles its notifications. Two examples are in examples/:
 * consume-in-postgres.mjs and consume-to-file.mjs.
 */
export type FeedStore = {
  /** The cursor of the last commit. Null before the first. */
  read(): Promise<string | null>;
  /**
   * Handles the notifications, skips ids that it already has, and stores the cursor. If you do all
   * of it in one transaction, each event counts exactly once, else at least once. If this rejects,
   * the same page comes again.
   */
  commit(page: FeedPage): Promise<void>;
};

/**
 * - `restored`: the database was restored to an earlier state. The consumer starts again with the
 *   oldest notification there is. Nothing is lost: the store skips ids that it already has.
 * - `expired`: retention has deleted notifications that this consumer never got. Compare with GET
 *   /transactions.
 */
export type FeedGap = {
  kind: "restored" | "expired";
  /** The old cursor, which can no longer be used. */
  lost: string | null;
  /** The cursor from which the consumer continues. */
  cursor: string;
};

export type ConsumeOptions = FeedOptions & {
  store: FeedStore;
  /** Ends the consumer. The page under way is still committed. */
  signal?: AbortSignal;
  /**
   * Called for each gap, and awaited before the consumer continues. Without it, a gap of the kind
   * `expired` ends the consumer.
   */
  onGap?: (gap: FeedGap) => unknown;
  /** Called for each failure that is retried, for your log. It must not throw. */
  onError?: (error: unknown, failures: number) => void;
};

/** Pauses after failures, in ms. Each is double the one before, up to the longest. */
const pauses = { firstMs: 1_000, longestMs: 30_000 };

/**
 * Reads the feed and gives it to the store, page by page, until the signal is aborted. Each page is
 * checked first: see `checkPage`. Failures of the network, of Chainbell and of the store are
 * retried, after pauses of up to 30 s. Use only one consumer for a store at a time.
 * @throws FeedFault `refused`, and `expired` if there is no `onGap`
 */
export async function consume(options: ConsumeOptions): Promise<void> {
  const { store, signal = new AbortController().signal, onError } = options;
  let failures = 0;
  let cursor: string | null | undefined;
  while (!signal.aborted) {
    try {
      // After a failure, only the store knows whether the last page was committed.
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

/** Half of the pause is random, so that consumers that failed together do not retry together. */
function pauseAfter(error: unknown, failures: number): number {
  const doubled = pauses.firstMs * 2 ** Math.min(failures - 1, 10);
  const mostMs = Math.min(doubled, pauses.longestMs);
  const asked = error instanceof FeedFault ? (error.retryAfterMs ?? 0) : 0;
  return Math.max(asked, mostMs / 2 + Math.random() * (mostMs / 2));
}
