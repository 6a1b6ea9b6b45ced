import { formatUnits } from "viem/utils";

/** An exact decimal of an atomic amount: no exponent, no trailing zeros, never through a float. Negative amounts allowed. */
export function toDecimal(atomic: bigint, decimals: number): string {
  return formatUnits(atomic, decimals);
}
