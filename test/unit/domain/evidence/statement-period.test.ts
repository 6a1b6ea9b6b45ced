import { describe, expect, it } from "vitest";
import {
  type AskedPeriod,
  statementPeriod,
} from "../../../../src/domain/evidence/statement-period.ts";

describe("the period of a statement", () => {
  it.each<[string, AskedPeriod, string, string]>([
    ["a month in UTC", { month: "2026-10" }, "2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"],
    ["a December", { month: "2026-12" }, "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"],
    [
      "a month in which summer ends",
      { month: "2026-10", zone: "Europe/Zurich" },
      "2026-09-30T22:00:00Z",
      "2026-10-31T23:00:00Z",
    ],
    [
      "a month in a zone of a quarter of an hour",
      { month: "2026-10", zone: "Asia/Kathmandu" },
      "2026-09-30T18:15:00Z",
      "2026-10-31T18:15:00Z",
    ],
    [
      "a month far in the east",
      { month: "2026-01", zone: "Pacific/Kiritimati" },
      "2025-12-31T10:00:00Z",
      "2026-01-31T10:00:00Z",
    ],
    [
      "days in the zone that is last",
      { from: "2026-01-01", to: "2026-01-02", zone: "Etc/GMT+12" },
      "2026-01-01T12:00:00Z",
      "2026-01-02T12:00:00Z",
    ],
    [
      "a day that begins at one, as summer begins at midnight",
      { from: "2024-09-08", to: "2024-09-09", zone: "America/Santiago" },
      "2024-09-08T04:00:00Z",
      "2024-09-09T03:00:00Z",
    ],
    [
      "a day before which midnight comes twice",
      { from: "2024-04-07", to: "2024-04-08", zone: "America/Santiago" },
      "2024-04-07T04:00:00Z",
      "2024-04-08T04:00:00Z",
    ],
    [
      "a day that a zone left out",
      { from: "2011-12-30", to: "2012-01-01", zone: "Pacific/Apia" },
      "2011-12-30T10:00:00Z",
      "2011-12-31T10:00:00Z",
    ],
    [
      "moments with an offset",
      { from: "2026-01-31T12:15:00+05:45", to: "2026-01-31T12:15:00Z", zone: "Europe/Zurich" },
      "2026-01-31T06:30:00Z",
      "2026-01-31T12:15:00Z",
    ],
  ])("is right for %s", (_, asked, from, to) => {
    const period = statementPeriod(asked);
    expect(period.from).toEqual(new Date(from));
    expect(period.to).toEqual(new Date(to));
    expect(period.zone).toBe(asked.zone ?? "UTC");
  });

  it.each([
    ["europe/berlin", "Europe/Berlin"],
    ["AMERICA/PORT-AU-PRINCE", "America/Port-au-Prince"],
    ["etc/gmt+12", "Etc/GMT+12"],
    ["utc", "UTC"],
    ["Etc/UTC", "UTC"],
    ["zulu", "UTC"],
    ["Asia/Kolkata", "Asia/Kolkata"],
  ])("has the zone %s by its one name", (zone, name) => {
    expect(statementPeriod({ month: "2026-10", zone }).zone).toBe(name);
  });

  it.each<[string, AskedPeriod, string]>([
    ["nothing", {}, "from"],
    ["a month that is none", { month: "2026-13" }, "month"],
    ["a month and a date", { month: "2026-10", from: "2026-10-01" }, "month"],
    ["a date that is none", { from: "2026-02-30", to: "2026-03-01" }, "from"],
    ["a moment of a day that is none", { from: "2026-02-30T00:00:00Z", to: "2026-04-01" }, "from"],
    ["a moment between quarters", { from: "2026-01-01T00:10:00Z", to: "2026-01-02" }, "from"],
    ["a moment without an offset", { from: "2026-01-01", to: "2026-01-01T12:00:00" }, "to"],
    ["an end that is no later", { from: "2026-01-02", to: "2026-01-02" }, "to"],
    ["no end", { from: "2026-01-02" }, "to"],
    ["a month before any chain", { month: "0050-01" }, "month"],
    ["the last month that has four digits", { month: "9999-12" }, "month"],
    ["the last day that has four digits", { from: "2026-01-01", to: "9999-12-31" }, "to"],
    ["an offset in the place of a zone", { month: "2026-10", zone: "+05:20" }, "time_zone"],
    ["a zone that is none", { month: "2026-10", zone: "Europe/Atlantis" }, "time_zone"],
  ])("is refused for %s, by its field", (_, asked, field) => {
    expect(() => statementPeriod(asked)).toThrow(new RegExp(`^${field} must `));
  });
});
