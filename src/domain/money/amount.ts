import { formatUnits, parseUnits } from "viem/utils";

/**
 * An exact decimal of an atomic amount. It has no exponent and no trailing zeros, and never goes
 * through a float. Amounts may be negative.
 */
export function toDecimal(atomic: bigint, decimals: number): string {
  return formatUnits(atomic, decimals);
}

/**
 * The atomic units of a decimal. Null: the text is no decimal, is negative, or has more decimals
 * than `decimals`.
 */
export function toAtomic(decimal: string, decimals: number): bigint | null {
  const [, fraction = ""] = /^\d{1,60}(?:\.(\d+))?$/.exec(decimal) ?? [null, null];
  return fraction === null || fraction.length > decimals ? null : parseUnits(decimal, decimals);
}
