import { language } from "../text/language.ts";
import { fixedText } from "./amount.ts";

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

/** `2026-01-31 12:00:00 UTC`. */
export function utcTime(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
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

/** A length of time in its largest unit: `42 ms`, `1.5 s`, `3 min`, `2 h`, `4 d`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds < 10 ? fixedText(seconds, 1) : Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
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
