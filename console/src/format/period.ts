import { momentAt, readingAt } from "./wall-clock.ts";

/** The times that a filter offers by name. */
export type Period =
  | "last_hour"
  | "today"
  | "yesterday"
  | "last_7_days"
  | "this_month"
  | "last_month";

/** From when to before when, as UTC to the minute: `2026-01-31T12:00`. No `to`: until now. */
export type Bounds = { from: string; to?: string };

/**
 * The bounds of a period, seen from a moment. Days begin by the clock of the zone. The last seven
 * days have today among them.
 */
export function boundsOf(period: Period, nowMs: number, zone: string): Bounds {
  const today = readingAt(nowMs, zone).slice(0, 10);
  const day = (days: number) => beginOf(today, { days }, zone);
  const month = (months: number) => beginOf(`${today.slice(0, 7)}-01`, { months }, zone);
  switch (period) {
    case "last_hour":
      return { from: minuteText(nowMs - 3_600_000) };
    case "today":
      return { from: day(0) };
    case "yesterday":
      return { from: day(-1), to: day(0) };
    case "last_7_days":
      return { from: day(-6) };
    case "this_month":
      return { from: month(0) };
    case "last_month":
      return { from: month(-1), to: month(0) };
  }
}

/** A moment as UTC to the minute, as filters stand in an address. */
export function minuteText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16);
}

/** A minute of an address as a zone's clock shows it. Any other text stays as it is. */
export function shownMinute(minute: string, zone: string): string {
  const ms = momentAt(minute.includes("T") ? minute : `${minute}T00:00`, "UTC");
  return Number.isNaN(ms) ? minute : readingAt(ms, zone).slice(0, 16);
}

/** True of a reading whose year is still being written: a browser tells of each digit. */
export function isUnfinished(reading: string): boolean {
  return /^0/.test(reading);
}

/** A reading of a zone's clock as a minute of an address. Any other text stays as it is. */
export function writtenMinute(reading: string, zone: string): string {
  const ms = momentAt(reading, zone);
  return Number.isNaN(ms) ? reading : minuteText(ms);
}

function beginOf(
  day: string,
  { days = 0, months = 0 }: { days?: number; months?: number },
  zone: string,
): string {
  const date = new Date(`${day}T00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  date.setUTCMonth(date.getUTCMonth() + months);
  return minuteText(momentAt(`${date.toISOString().slice(0, 10)}T00:00`, zone));
}
