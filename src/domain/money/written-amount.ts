/** An amount with its asset's code, as people write both. */
export type WrittenAmount = { amount: string; code: string };

// Groups of three digits, then decimals after a point, or after a comma.
const numbers = [
  /^(\d+|[1-9]\d{0,2}([,'’\s])\d{3}(?:\2\d{3})*)(?:\.(\d+))?$/,
  /^(\d+|[1-9]\d{0,2}([.'’\s])\d{3}(?:\2\d{3})*)(?:,(\d+))?$/,
];

/** The digits of the largest amount, 2^256 - 1 atomic units. */
const mostDigits = 78;

/**
 * Reads a text such as `25 USDC`, `1,000.50 usdc` or `1.000,50 USDC`, as a plain decimal without
 * needless zeros. A point is the decimal point whenever it can be. Null: the text is not an amount
 * with a code.
 */
export function writtenAmountIn(text: string): WrittenAmount | null {
  const parts = /^(\d[\d.,'’\s]*?)(?:\s+([^\s,]+)|(\p{Letter}[^\s,]*))$/u.exec(text.trim());
  const [, number = "", spaced, joined] = parts ?? [];
  const code = spaced ?? joined;
  for (const pattern of numbers) {
    const [whole, digits = "", , decimals = ""] = pattern.exec(number) ?? [];
    if (whole === undefined || code === undefined) continue;
    const units = digits.replace(/\D/g, "").replace(/^0+(?=\d)/, "");
    const fraction = decimals.replace(/0+$/, "");
    if (units.length + fraction.length > mostDigits) return null;
    return { amount: fraction === "" ? units : `${units}.${fraction}`, code };
  }
  return null;
}
