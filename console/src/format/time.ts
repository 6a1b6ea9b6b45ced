import { language } from "../text/language.ts";
import { fixedText } from "./amount.ts";
import { offsetAt, readingAt } from "./wall-clock.ts";
import { chosenZone, zoneOf } from "./zone.ts";

const steps = [
  { unit: "year", seconds: 31_557_600 },
  { unit: "month", seconds: 2_629_800 },
  { unit: "day", seconds: 86_400 },
  { unit: "hour", seconds: 3_600 },
  { unit: "minute", seconds: 60 },
] as const;

const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });

/** The time since or until a moment: `3 min. ago`. Less than 5 s away is `now`. */
export function relativeTime(at: string, nowMs: number): string {
  const seconds = Math.round((Date.parse(at) - nowMs) / 1000);
  if (Math.abs(seconds) < 5) return relative.format(0, "second");
  const step = steps.find((one) => Math.abs(seconds) >= one.seconds);
  if (step === undefined) return relative.format(seconds, "second");
  return relative.format(Math.trunc(seconds / step.seconds), step.unit);
}

/** `2026-01-31 12:00:00 UTC`, or `… 13:00:00 UTC+1`: by the chosen clock, which it names. */
export function timeText(at: string, zone: string = zoneOf(chosenZone())): string {
  const reading = readingAt(Date.parse(at), zone);
  return `${reading.slice(0, 10)} ${reading.slice(11, 19)} ${zoneText(at, zone)}`;
}

/** The same moment by the clock that was not chosen. */
export function otherTimeText(at: string): string {
  return timeText(at, zoneOf(chosenZone() === "utc" ? "local" : "utc"));
}

/** `13:00`, by the chosen clock. */
export function hourText(at: string, zone: string = zoneOf(chosenZone())): string {
  return readingAt(Date.parse(at), zone).slice(11, 16);
}

/** As ISO 8601 by the chosen clock: `…T12:00:00.000Z` or `…T13:00:00.000+01:00`. */
export function isoText(at: string, zone: string = zoneOf(chosenZone())): string {
  const ms = Date.parse(at);
  if (zone === "UTC") return new Date(ms).toISOString();
  const { sign, hours, minutes } = offsetParts(ms, zone);
  return `${readingAt(ms, zone)}${sign}${hours.padStart(2, "0")}:${minutes}`;
}

/** `UTC`, `UTC+1` or `UTC-3:30`: how far the clock is from UTC at that moment. */
function zoneText(at: string, zone: string): string {
  if (zone === "UTC") return "UTC";
  const { sign, hours, minutes } = offsetParts(Date.parse(at), zone);
  return `UTC${sign}${hours}${minutes === "00" ? "" : `:${minutes}`}`;
}

function offsetParts(ms: number, zone: string): { sign: string; hours: string; minutes: string } {
  const minutes = Math.round(offsetAt(ms, zone) / 60_000);
  const far = Math.abs(minutes);
  return {
    sign: minutes < 0 ? "-" : "+",
    hours: String(Math.floor(far / 60)),
    minutes: String(far % 60).padStart(2, "0"),
  };
}

// The day before the month, as everywhere but in one country.
const daysLanguage = language === "en" ? "en-GB" : language;

/** `31 Jan`, in UTC. */
export function utcDay(at: string): string {
  return new Intl.DateTimeFormat(daysLanguage, {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  }).format(new Date(at));
}

/**
 * A length of time in its largest unit: `42 ms`, `1.5 s`, `3 min`, `2 h`, `4 d`. No line breaks
 * before the unit.
 */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}\u00a0ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds < 10 ? fixedText(seconds, 1) : Math.round(seconds)}\u00a0s`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)}\u00a0min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)}\u00a0h`;
  return `${Math.round(seconds / 86_400)}\u00a0d`;
}

/**
 * The time left until a moment, in hours, minutes and seconds: `23:04:11`. Zero when it is over.
 */
export function countdown(until: string, nowMs: number): string {
  const left = Math.max(0, Math.floor((Date.parse(until) - nowMs) / 1000));
  return [left / 3_600, (left / 60) % 60, left % 60]
    .map((part) => String(Math.floor(part)).padStart(2, "0"))
    .join(":");
}

/** The time `days` days before another one, as ISO 8601. `ms` is in ms since the epoch. */
export function daysBefore(ms: number, days: number): string {
  return new Date(ms - days * 86_400_000).toISOString();
}
