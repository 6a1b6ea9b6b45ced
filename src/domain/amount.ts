import { formatUnits, parseUnits } from "viem/utils";

/** An exact decimal of an atomic amount: no exponent, no trailing zeros, never through a float. Negative amounts allowed. */
export function toDecimal(atomic: bigint, decimals: number): string {
  return formatUnits(atomic, decimals);
}

/** The atomic amount of a plain decimal string; digits beyond `decimals` are the caller's fault and are rounded. */
export function toAtomic(decimal: string, decimals: number): bigint {
  return parseUnits(decimal, decimals);
}
