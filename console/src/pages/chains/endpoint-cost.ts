import { groupDigits } from "../../format/amount.ts";
import { fill, text } from "../../text/text.ts";
import type { ChainStatus } from "./status.ts";

export type Endpoint = NonNullable<ChainStatus["endpoints"]>[number];

/** The units that its provider charges for a day of such calls; null: they are not known. */
function unitsOfDay({ calls_hours: hours, charged }: Endpoint): number | null {
  return charged === null || hours === 0 ? null : Math.round((charged * 24) / hours);
}

/** The cost of a day, in the provider's units; null: it is not known. */
export function chargedText(endpoint: Endpoint): string | null {
  const units = unitsOfDay(endpoint);
  const { charged_in: unit } = endpoint;
  if (units === null || unit === null) return null;
  return fill(text.chains.charged, { units: groupDigits(String(units)), unit });
}

/** The calls of a day at the pace of the last hours. */
export function callsOfDay({ calls, calls_hours: hours }: Endpoint): number {
  return hours === 0 ? 0 : Math.round((calls * 24) / hours);
}

/**
 * The dearest first. Units of different providers cannot be compared: those of one unit stand
 * together, the unit with the most calls first. Endpoints without a known price come last, by
 * their calls.
 */
export function byCost<Row extends Endpoint>(rows: readonly Row[]): Row[] {
  const callsIn = new Map<string, number>();
  for (const row of rows) {
    const unit = unitOf(row);
    callsIn.set(unit, (callsIn.get(unit) ?? 0) + callsOfDay(row));
  }
  const rankOf = (row: Row) => (unitOf(row) === "" ? -1 : (callsIn.get(unitOf(row)) ?? 0));
  return rows.toSorted(
    (one, other) =>
      rankOf(other) - rankOf(one) ||
      unitOf(one).localeCompare(unitOf(other)) ||
      (unitsOfDay(other) ?? 0) - (unitsOfDay(one) ?? 0) ||
      callsOfDay(other) - callsOfDay(one),
  );
}

function unitOf(endpoint: Endpoint): string {
  return unitsOfDay(endpoint) === null ? "" : (endpoint.charged_in ?? "");
}
