import { formatUnits, parseUnits } from "viem/utils";

/** An exact decimal of an atomic amount: no exponent, no trailing zeros, never through a float. Negative amounts allowed. */
export function toDecimal(atomic: bigint, decimals: number): string {
  return formatUnits(atomic, decimals);
}

/** The atomic units of a decimal; null where it is not one, is negative, or has more decimals than there are. */
export function toAtomic(decimal: string, decimals: number): bigint | null {
  const [, fraction = ""] = /^\d{1,60}(?:\.(\d+))?$/.exec(decimal) ?? [null, null];
  return fraction === null || fraction.length > decimals ? null : parseUnits(decimal, decimals);
}
