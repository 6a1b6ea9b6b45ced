/**
 * The waits before each attempt, the first included, in ms. The length of the list is the number of
 * attempts.
 */
export type RetrySchedule = readonly number[];

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Ten attempts over three days and three hours (docs/contract.md#delivery-and-retries). */
export const standardSchedule: RetrySchedule = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** For development mode: a failing receiver is given up within seconds. */
export const developmentSchedule: RetrySchedule = [0, second, 2 * second, 5 * second];

/** The longest pause that a receiver may ask for, in ms. */
const longestRetryAfterMs = 24 * hour;

/**
 * Each wait varies by this share in both directions. So receivers that failed together are not
 * notified together.
 */
const jitter = 0.2;

export type NextAttempt = { kind: "retry"; delayMs: number } | { kind: "exhausted" };

/**
 * The next step after a failed attempt. `attempt`: its number, from 1. `maxAttempts` null: the
 * schedule decides. `retryAfterMs`: the pause that a 429 or 503 asked for, else null. `random`: in
 * [0, 1).
 */
export function nextAttempt(failed: {
  schedule: RetrySchedule;
  attempt: number;
  maxAttempts: number | null;
  retryAfterMs: number | null;
  random: number;
}): NextAttempt {
  const { schedule, attempt, maxAttempts, retryAfterMs, random } = failed;
  const waitMs = schedule[attempt];
  if (waitMs === undefined || (maxAttempts !== null && attempt >= maxAttempts)) {
    return { kind: "exhausted" };
  }
  const spreadMs = waitMs * (1 - jitter + 2 * jitter * random);
  const askedMs = Math.min(retryAfterMs ?? 0, longestRetryAfterMs);
  return { kind: "retry", delayMs: Math.round(Math.max(spreadMs, askedMs)) };
}
