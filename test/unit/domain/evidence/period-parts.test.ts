import { expect, test } from "vitest";
import { partsOf, statementPeriod } from "../../../../src/domain/evidence/statement-period.ts";

const partsBetween = (from: string, to: string, zone: string, unit: "day" | "month") =>
  partsOf(statementPeriod({ from, to, zone }), unit).map(({ name, from: start }) => [
    name,
    start.toISOString(),
  ]);

test("the days of a zone begin where its clocks say so, also where they are changed", () => {
  expect(partsBetween("2026-10-24", "2026-10-27", "Europe/Zurich", "day")).toEqual([
    ["2026-10-24", "2026-10-23T22:00:00.000Z"],
    // This one has 25 hours.
    ["2026-10-25", "2026-10-24T22:00:00.000Z"],
    ["2026-10-26", "2026-10-25T23:00:00.000Z"],
  ]);
  // In Santiago the clocks go from 24:00 to 01:00: the day has no hour 0.
  expect(partsBetween("2026-09-06", "2026-09-07", "America/Santiago", "day")).toEqual([
    ["2026-09-06", "2026-09-06T04:00:00.000Z"],
  ]);
});

test("the first and the last part end with the period, within a day and within a month", () => {
  expect(
    partsBetween("2026-01-31T12:15:00Z", "2026-02-01T00:15:00Z", "Asia/Kathmandu", "day"),
  ).toEqual([
    ["2026-01-31", "2026-01-31T12:15:00.000Z"],
    ["2026-02-01", "2026-01-31T18:15:00.000Z"],
  ]);
  expect(partsBetween("2025-12-15", "2026-02-02", "UTC", "month")).toEqual([
    ["2025-12", "2025-12-15T00:00:00.000Z"],
    ["2026-01", "2026-01-01T00:00:00.000Z"],
    ["2026-02", "2026-02-01T00:00:00.000Z"],
  ]);
});

test("a period has at most 400 parts", () => {
  expect(partsBetween("2025-01-01", "2026-02-05", "UTC", "day")).toHaveLength(400);
  expect(() => partsBetween("2025-01-01", "2026-02-06", "UTC", "day")).toThrow("400 days");
});
