import { formatUnits, parseUnits } from "viem/utils";

/**
 * Writes an atomic amount as an exact decimal, without an exponent or trailing zeros. It never uses
 * a float. Amounts may be negative.
 */
export function toDecimal(atomic: bigint, decimals: number): string {
  return formatUnits(atomic, decimals);
}

/**
 * Reads a decimal as atomic units. Null: the text is no decimal, is negative, or has more than
 * `decimals` decimals.
 */
export function toAtomic(decimal: string, decimals: number): bigint | null {
  const [, fraction = ""] = /^\d{1,60}(?:\.(\d+))?$/.exec(decimal) ?? [null, null];
  return fraction === null || fraction.length > decimals ? null : parseUnits(decimal, decimals);
}
