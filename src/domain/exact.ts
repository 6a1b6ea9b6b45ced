/** An exact decimal: units / 10^scale. */
export type Exact = { units: bigint; scale: number };

/** A plain, non-negative decimal: no sign, no exponent. */
export const plainDecimal = /^(0|[1-9][0-9]*)(\.[0-9]+)?$/;

/** The value of a text that matches `plainDecimal`. */
export function exactOf(decimal: string): Exact {
  const [whole = "0", fraction = ""] = decimal.split(".");
  return { units: BigInt(whole + fraction), scale: fraction.length };
}

/** Compares without rounding. */
export function isAtLeast(value: Exact, least: Exact): boolean {
  const scale = Math.max(value.scale, least.scale);
  return inUnitsOf(value, scale) >= inUnitsOf(least, scale);
}

function inUnitsOf({ units, scale }: Exact, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - scale);
}
