/**
 * The answer of a Chainlink aggregator to latestRoundData(), with its decimals(). Times in ms since
 * the epoch.
 */
export type FeedReading = {
  answer: bigint;
  decimals: number;
  /** When the round began. Of a sequencer's feed: since when its state holds. */
  startedAtMs: number;
  updatedAtMs: number;
};

/**
 * The hosts behind a word.
 *
 * - `agreed`: two hosts say the same.
 * - `alone`: no other host is configured.
 * - `silent`: one host says it, and the others do not answer.
 */
export type Standing = "agreed" | "alone" | "silent";

/** A feed as the hosts of a chain answer it. */
export type FeedWord = FeedReading & { standing: Standing };

/**
 * Two heads may lie one round apart, and a feed begins a round once its price has moved by its
 * deviation threshold. Chainlink's feeds of large assets have thresholds of up to 2 %. In ten
 * thousandths.
 */
const roundsApartBps = 200n;

/**
 * True if two readings say the same: one round exactly, or rounds that may follow each other.
 * Sameness is not transitive.
 */
export function isSameFeed(one: FeedReading, other: FeedReading): boolean {
  const [a, b] = [one.answer * scaleOf(other), other.answer * scaleOf(one)];
  if (a === b) return true;
  if (one.updatedAtMs === other.updatedAtMs || a <= 0n || b <= 0n) return false;
  const [low, high] = a < b ? [a, b] : [b, a];
  return (high - low) * 10_000n <= low * roundsApartBps;
}

/**
 * The reading that several of the same are used as: the first answer, as old as the oldest of them,
 * and begun as late as the latest. So no host alone makes a round younger.
 */
export function oldestOf(first: FeedReading, also: readonly FeedReading[]): FeedReading {
  const all = [first, ...also];
  return {
    answer: first.answer,
    decimals: first.decimals,
    startedAtMs: Math.max(...all.map(({ startedAtMs }) => startedAtMs)),
    updatedAtMs: Math.min(...all.map(({ updatedAtMs }) => updatedAtMs)),
  };
}

function scaleOf({ decimals }: FeedReading): bigint {
  return 10n ** BigInt(decimals);
}
