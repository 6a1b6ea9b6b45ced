import { daysBefore } from "../../format/time.ts";

/** The days that the charts show, today included. */
export const chartDays = 30;

/**
 * The query for the days of the charts: from the beginning of the first to the end of today, UTC.
 */
export function lastDays(): { from: string; to: string; bucket: "day" } {
  const now = Date.now();
  const dayOf = (ms: number, days: number) => `${daysBefore(ms, days).slice(0, 10)}T00:00:00.000Z`;
  return { from: dayOf(now, chartDays - 1), to: dayOf(now, -1), bucket: "day" };
}

/** The beginnings of buckets, in Unix seconds. */
export function timesOf(buckets: readonly { at: string }[]): number[] {
  return buckets.map(({ at }) => Date.parse(at) / 1000);
}
