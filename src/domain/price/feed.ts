/**
 * A Chainlink aggregator's answer to latestRoundData(), with its decimals(). Times are in ms since
 * the epoch.
 */
export type FeedReading = {
  answer: bigint;
  decimals: number;
  /** When the round began. For a sequencer's feed: since when its state holds. */
  startedAtMs: number;
  updatedAtMs: number;
};

/**
 * The number of hosts behind an answer.
 *
 * - `agreed`: two hosts agree.
 * - `alone`: no other host is configured.
 * - `silent`: one host says it, and the others do not answer.
 */
export type Standing = "agreed" | "alone" | "silent";

/** A feed's reading, and how many hosts stand behind it. */
export type FeedWord = FeedReading & { standing: Standing };

/**
 * In ten thousandths. Hosts may be one round apart. A feed begins a round once its price has moved
 * by its deviation threshold. Chainlink's feeds of large assets have thresholds of up to 2 %.
 */
const roundsApartBps = 200n;

/**
 * True if two readings agree: the same round, or rounds that may follow each other. This is not
 * transitive.
 */
export function isSameFeed(one: FeedReading, other: FeedReading): boolean {
  const [a, b] = [one.answer * scaleOf(other), other.answer * scaleOf(one)];
  if (a === b) return true;
  if (one.updatedAtMs === other.updatedAtMs || a <= 0n || b <= 0n) return false;
  const [low, high] = a < b ? [a, b] : [b, a];
  return (high - low) * 10_000n <= low * roundsApartBps;
}

/**
 * One reading for several that agree: the first answer, with the oldest update time and the latest
 * beginning of all. So no single host can make a round look younger.
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
