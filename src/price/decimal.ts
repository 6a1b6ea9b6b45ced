/**
 * The shortest decimal without an exponent that reads back as this number. Null if it is not a
 * price: negative, or not finite. For prices that are only given as a JSON number.
 */
export function decimalOf(value: number): string | null {
  if (!Number.isFinite(value) || value < 0) return null;
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = `${whole}${fraction}`;
  const point = whole.length + Number(exponent);
  const padded = digits.padStart(digits.length + Math.max(0, 1 - point), "0");
  const at = Math.max(1, point);
  const text = `${padded.slice(0, at).padEnd(at, "0")}.${padded.slice(at)}`;
  return text.replace(/\.?0*$/, "").replace(/^0+(?=\d)/, "");
}

/**
 * The distance that a stablecoin's source may have from one dollar in both directions: half a
 * percent, in ten thousandths.
 */
const toleranceBps = 50n;

/** True if a plain decimal is within half a percent of one, exactly. */
export function isNearOne(decimal: string): boolean {
  const [whole = "0", fraction = ""] = decimal.split(".");
  const one = 10n ** BigInt(fraction.length);
  const difference = BigInt(whole + fraction) - one;
  return (difference < 0n ? -difference : difference) * 10_000n <= one * toleranceBps;
}

/** True if two plain decimals differ by at most `bps` ten thousandths of the smaller one. */
export function isWithin(one: string, other: string, bps: bigint): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  const [first, second] = [a.units * 10n ** b.scale, b.units * 10n ** a.scale];
  const [low, high] = first < second ? [first, second] : [second, first];
  return (high - low) * 10_000n <= low * bps;
}

function partsOf(decimal: string): { units: bigint; scale: bigint } {
  const [whole = "0", fraction = ""] = decimal.split(".");
  return { units: BigInt(whole + fraction), scale: BigInt(fraction.length) };
}
