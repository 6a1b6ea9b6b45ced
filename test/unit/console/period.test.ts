import { describe, expect, test } from "vitest";
import { boundsOf, shownMinute, writtenMinute } from "../../../console/src/format/period.ts";
import { hourText, isoText, timeText } from "../../../console/src/format/time.ts";
import { momentAt, readingAt } from "../../../console/src/format/wall-clock.ts";

const berlin = "Europe/Berlin";

describe("the bounds of a period", () => {
  test.each([
    // A leap year's end of February, in UTC.
    ["last_hour", "2028-03-01T00:20:59Z", "UTC", "2028-02-29T23:20", undefined],
    ["today", "2028-03-01T00:20:59Z", "UTC", "2028-03-01T00:00", undefined],
    ["yesterday", "2028-03-01T00:20:59Z", "UTC", "2028-02-29T00:00", "2028-03-01T00:00"],
    ["last_7_days", "2028-03-01T00:20:59Z", "UTC", "2028-02-24T00:00", undefined],
    ["this_month", "2028-03-01T00:20:59Z", "UTC", "2028-03-01T00:00", undefined],
    ["last_month", "2028-03-01T00:20:59Z", "UTC", "2028-02-01T00:00", "2028-03-01T00:00"],
    // The last day of a month with 31 days, whose month before has 30, and of a year.
    ["last_month", "2026-12-31T12:00:00Z", "UTC", "2026-11-01T00:00", "2026-12-01T00:00"],
    ["last_month", "2026-01-01T00:00:00Z", "UTC", "2025-12-01T00:00", "2026-01-01T00:00"],
    // In Berlin the next day, month and year have begun.
    ["today", "2025-12-31T23:30:00Z", berlin, "2025-12-31T23:00", undefined],
    ["this_month", "2025-12-31T23:30:00Z", berlin, "2025-12-31T23:00", undefined],
    ["last_month", "2025-12-31T23:30:00Z", berlin, "2025-11-30T23:00", "2025-12-31T23:00"],
    // The clock goes forward on 29 March and back on 25 October: days of 23 and 25 hours.
    ["yesterday", "2026-03-30T10:00:00Z", berlin, "2026-03-28T23:00", "2026-03-29T22:00"],
    ["yesterday", "2026-10-26T10:00:00Z", berlin, "2026-10-24T22:00", "2026-10-25T23:00"],
    ["last_7_days", "2026-03-30T10:00:00Z", berlin, "2026-03-23T23:00", undefined],
    ["last_month", "2026-04-10T10:00:00Z", berlin, "2026-02-28T23:00", "2026-03-31T22:00"],
    // Half an hour, and a day that begins at one o'clock because there is no midnight.
    ["today", "2026-01-15T20:00:00Z", "Asia/Kolkata", "2026-01-15T18:30", undefined],
    ["today", "2026-09-06T15:00:00Z", "America/Santiago", "2026-09-06T04:00", undefined],
  ] as const)("%s at %s in %s", (period, now, zone, from, to) => {
    const bounds = to === undefined ? { from } : { from, to };
    expect(boundsOf(period, Date.parse(now), zone)).toEqual(bounds);
  });
});

test.each([
  ["2026-01-31T12:00:00.250Z", "UTC", "2026-01-31 12:00:00 UTC", "2026-01-31T12:00:00.250Z"],
  [
    "2026-01-31T12:00:00.250Z",
    berlin,
    "2026-01-31 13:00:00 UTC+1",
    "2026-01-31T13:00:00.250+01:00",
  ],
  [
    "2026-07-31T23:30:00.000Z",
    berlin,
    "2026-08-01 01:30:00 UTC+2",
    "2026-08-01T01:30:00.000+02:00",
  ],
  [
    "2026-01-31T00:00:00.000Z",
    "America/St_Johns",
    "2026-01-30 20:30:00 UTC-3:30",
    "2026-01-30T20:30:00.000-03:30",
  ],
])("%s in %s is shown as %s", (at, zone, shown, iso) => {
  expect(timeText(at, zone)).toBe(shown);
  expect(isoText(at, zone)).toBe(iso);
  expect(Date.parse(iso)).toBe(Date.parse(at));
  expect(shown).toContain(` ${hourText(at, zone)}:`);
});

test.each([
  ["2026-01-31T12:00", berlin, "2026-01-31T13:00"],
  ["2026-07-31T23:30", berlin, "2026-08-01T01:30"],
  ["2026-07-31T23:30", "UTC", "2026-07-31T23:30"],
])("a filter of %s reads in %s %s, and back", (minute, zone, reading) => {
  expect(shownMinute(minute, zone)).toBe(reading);
  expect(writtenMinute(reading, zone)).toBe(minute);
});

test("a day stands for its first minute in UTC, and what is no time stays", () => {
  expect(shownMinute("2026-01-31", berlin)).toBe("2026-01-31T01:00");
  expect(shownMinute("soon", berlin)).toBe("soon");
  expect(writtenMinute("soon", berlin)).toBe("soon");
});

test.each([
  // Twice: the earlier one. Never: as long after the gap.
  ["2026-10-25T02:30", "2026-10-25T00:30:00.000Z"],
  ["2026-03-29T02:30", "2026-03-29T01:30:00.000Z"],
])("Berlin's clock shows %s at %s", (reading, at) => {
  expect(new Date(momentAt(reading, berlin)).toISOString()).toBe(at);
});

test("a clock is read at each hour of two years as it was written", () => {
  const begin = Date.parse("2025-06-01T00:00Z");
  for (const zone of ["UTC", berlin, "Asia/Kolkata", "America/Santiago", "Australia/Lord_Howe"]) {
    for (let hour = 0; hour < 17_520; hour += 7) {
      const ms = begin + hour * 3_600_000;
      const reading = readingAt(ms, zone);
      expect(readingAt(momentAt(reading, zone), zone)).toBe(reading);
    }
  }
});
