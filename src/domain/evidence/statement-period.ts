import { isDay } from "../day.ts";
import type { Fault } from "../fault.ts";
import { invalidField } from "../text.ts";

/** A cutoff is stored for each quarter of an hour, in ms. So periods begin and end at one. */
const quarterMs = 15 * 60_000;

/** No zone differs from UTC by more than this, in ms. */
const widestOffsetMs = 15 * 3_600_000;

/**
 * `from` is inclusive, `to` is exclusive. `zone`: the IANA name of the zone of its dates. However
 * somebody spells UTC, its zone is `UTC`.
 */
export type StatementPeriod = { from: Date; to: Date; zone: string };

/** A period as somebody asks for it: a month, or both ends. Each end is a date or a moment. */
export type AskedPeriod = {
  month?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  zone?: string | undefined;
};

/**
 * The two moments of a period. A date is the first moment of its day in the zone, by default UTC. A
 * moment has its own offset, and must be at a quarter of an hour.
 * @throws Fault `invalid_request` that names the field
 */
export function statementPeriod(asked: AskedPeriod): StatementPeriod {
  const zone = spelledZone(asked.zone ?? "UTC");
  const dateIn = dateReader(zone);
  const { month } = asked;
  if (month !== undefined) {
    if (asked.from !== undefined || asked.to !== undefined)
      throw invalidField("month", "must come without from and to");
    const [, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month) ?? [];
    if (year === undefined || number === undefined || Number(year) < 1970 || isTooLate(year))
      throw invalidField("month", "expected a month such as 2026-10");
    const next = new Date(Date.UTC(Number(year), Number(number), 1)).toISOString().slice(0, 10);
    return { from: startOfDay(`${month}-01`, dateIn), to: startOfDay(next, dateIn), zone };
  }
  const from = momentOf("from", asked.from, dateIn);
  const to = momentOf("to", asked.to, dateIn);
  if (from >= to) throw invalidField("to", "expected a moment after from");
  return { from, to, zone };
}

/** The year after it has more digits than a date. */
function isTooLate(year: string): boolean {
  return Number(year) > 9998;
}

/** The units into which a period is divided. */
export type PeriodUnit = "day" | "month";

/** A day or a month of a period, in its zone: the name, such as 2026-10-25, and the beginning. */
export type PeriodPart = { name: string; from: Date };

/** The most parts of one period. */
const maxParts = 400;

/**
 * The days or months of a period, oldest first. The first begins and the last ends where the period
 * does.
 * @throws Fault `invalid_request` if there are more than 400
 */
export function partsOf({ from, to, zone }: StatementPeriod, unit: PeriodUnit): PeriodPart[] {
  const dateIn = dateReader(zone);
  const nameOf = (date: string) => (unit === "day" ? date : date.slice(0, 7));
  const parts: PeriodPart[] = [];
  let date = dateIn(from.getTime());
  for (let start = from; start < to; ) {
    if (parts.length === maxParts)
      throw invalidField("from", `expected at most ${maxParts} ${unit}s before 'to'`);
    parts.push({ name: nameOf(date), from: start });
    date = dateAfter(date, unit);
    start = startOfDay(date, dateIn);
  }
  return parts;
}

/** The next day, or the first day of the next month. */
function dateAfter(date: string, unit: PeriodUnit): string {
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  const next = unit === "day" ? Date.UTC(year, month - 1, day + 1) : Date.UTC(year, month, 1);
  return new Date(next).toISOString().slice(0, 10);
}

type DateReader = (ms: number) => string;

function momentOf(field: "from" | "to", given: string | undefined, dateIn: DateReader): Date {
  const rule =
    "expected a date, or a moment at a quarter of an hour, such as 2026-01-31 or 2026-01-31T12:15:00Z";
  if (given === undefined) throw invalidField(field, `${rule}, unless month is given`);
  if (isTooLate(given.slice(0, 4)) || !isDay(given.slice(0, 10))) throw invalidField(field, rule);
  if (given.length === 10) return startOfDay(given, dateIn);
  const hasZone = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(given);
  const moment = new Date(hasZone ? given : Number.NaN);
  if (moment.getTime() % quarterMs === 0) return moment;
  throw invalidField(field, rule);
}

/**
 * The first moment of a day. In some zones summer time begins or ends at midnight, so a day may
 * begin at another hour than 0.
 */
function startOfDay(date: string, dateIn: DateReader): Date {
  const middle = Date.parse(`${date}T00:00:00Z`);
  // A binary search: since before the first EVM chain, a zone's dates have only risen.
  let low = -widestOffsetMs / quarterMs;
  let high = widestOffsetMs / quarterMs;
  while (low < high) {
    const at = Math.floor((low + high) / 2);
    if (dateIn(middle + at * quarterMs) < date) low = at + 1;
    else high = at;
  }
  return new Date(middle + low * quarterMs);
}

/** Makes a function that gives the date in a zone, as YYYY-MM-DD. */
function dateReader(zone: string): DateReader {
  // This locale writes dates in the form of ISO 8601.
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    calendar: "gregory",
    numberingSystem: "latn",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    return `${parts.get("year")}-${parts.get("month")}-${parts.get("day")}`;
  };
}

/** The names that the time zone database has for UTC, in lower case. */
const namesOfUtc = /^(etc\/)?(utc|uct|universal|zulu)$/;

/**
 * The name of a zone in its own capital letters. One zone in two spellings would be two statements
 * of a month. An alias such as Asia/Kolkata stays: some releases of Node know only what it stands
 * for.
 * @throws Fault `invalid_request`
 */
function spelledZone(zone: string): string {
  if (namesOfUtc.test(zone.toLowerCase())) return "UTC";
  // Its days may begin between quarters, and only newer releases of Node know it.
  if (/^[+-]/.test(zone)) throw wrongZone();
  try {
    const { timeZone } = new Intl.DateTimeFormat("en-US", { timeZone: zone }).resolvedOptions();
    return timeZone.toLowerCase() === zone.toLowerCase() ? timeZone : zone;
  } catch (cause) {
    if (cause instanceof RangeError) throw wrongZone();
    throw cause;
  }
}

function wrongZone(): Fault {
  return invalidField("time_zone", "expected the name of a time zone, such as Europe/Zurich");
}
