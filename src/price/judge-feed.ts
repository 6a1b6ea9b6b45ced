import { toDecimal } from "../domain/money/amount.ts";
import type { FeedReading } from "../domain/price/feed.ts";

/** A source's price of an asset, or why it may not be used. */
export type Judged =
  | { kind: "price"; usd: string; asOfMs: number; freshUntilMs: number }
  | { kind: "refused"; reason: string };

/**
 * The time after the heartbeat within which a round may still be written. Covers differing clocks
 * too.
 */
const graceMs = 120_000;

/**
 * The time for which a chain's feeds are not used after its sequencer is back, as Chainlink
 * advises. They catch up first.
 */
const sequencerGraceMs = 3_600_000;

/**
 * Accepts an answer only if it is positive, not in the future, and no older than the feed's
 * heartbeat. Allows two minutes in both directions.
 */
export function judgeFeed(reading: FeedReading, heartbeatMs: number, nowMs: number): Judged {
  const { answer, decimals, updatedAtMs } = reading;
  if (answer <= 0n) return { kind: "refused", reason: `the answer is ${answer}` };
  if (updatedAtMs > nowMs + graceMs)
    return { kind: "refused", reason: "its time is in the future" };
  const freshUntilMs = updatedAtMs + heartbeatMs + graceMs;
  if (freshUntilMs <= nowMs) return { kind: "refused", reason: "it is older than its heartbeat" };
  return { kind: "price", usd: toDecimal(answer, decimals), asOfMs: updatedAtMs, freshUntilMs };
}

/**
 * The reason why no feed of an L2 may be used now, by its sequencer's feed. Null: they may be used.
 */
export function judgeSequencer(reading: FeedReading, nowMs: number): string | null {
  if (reading.answer !== 0n) return "the sequencer is down";
  // Arbitrum's feed answers so before its first round (Chainlink, "L2 Sequencer Uptime Feeds").
  if (reading.startedAtMs === 0) return "the sequencer's feed has not begun";
  const isSettled = nowMs - reading.startedAtMs >= sequencerGraceMs;
  return isSettled ? null : "the sequencer has been back for less than an hour";
}
