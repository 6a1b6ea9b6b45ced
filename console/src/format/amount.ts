import { decimalMark, groupMark } from "../text/numbers.ts";

// Amounts stay text from the wire to the screen. They have up to 78 digits and 18 decimals, and a
// JavaScript number holds about 15 digits.

/**
 * The parts of an exact decimal: its digits in groups of three, and its fraction with the point, or
 * nothing.
 */
export function partsOfAmount(amount: string): { sign: string; whole: string; fraction: string } {
  const sign = amount.startsWith("-") ? "−" : "";
  const unsigned = amount.replace(/^[+-]/, "");
  const [whole = "0", fraction = ""] = unsigned.split(".");
  return {
    sign,
    whole: groupDigits(whole),
    fraction: fraction === "" ? "" : `${decimalMark}${fraction}`,
  };
}

/** `1234567` as `1,234,567`, with the mark of the language. Digits only. */
export function groupDigits(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, groupMark);
}

/** A whole number, in groups of digits. */
export function countText(count: number): string {
  return groupDigits(String(count));
}

/** A number with so many decimals, and the mark of the language before them. */
export function fixedText(value: number, decimals: number): string {
  return value.toFixed(decimals).replace(".", decimalMark);
}

/** An amount with so many decimals, cut after them: a sum of money beside exact amounts. */
export function cutDecimals(amount: string, decimals: number): string {
  const [whole = "0", fraction = ""] = amount.split(".");
  return `${whole}.${fraction.slice(0, decimals).padEnd(decimals, "0")}`;
}

/** True if an amount is zero, in any spelling. */
export function isZero(amount: string): boolean {
  return !/[1-9]/.test(amount);
}

/** The exact sum of two decimals. */
export function addAmounts(one: string, other: string): string {
  const decimals = Math.max(decimalsOf(one), decimalsOf(other));
  return textOf(unitsOf(one, decimals) + unitsOf(other, decimals), decimals);
}

/** The exact difference of two decimals. */
export function subtractAmounts(one: string, other: string): string {
  return addAmounts(one, other.startsWith("-") ? other.slice(1) : `-${other}`);
}

function decimalsOf(amount: string): number {
  return amount.split(".")[1]?.length ?? 0;
}

function unitsOf(amount: string, decimals: number): bigint {
  const [whole = "0", fraction = ""] = amount.replace(/^[+-]/, "").split(".");
  const units = BigInt(whole + fraction.padEnd(decimals, "0"));
  return amount.startsWith("-") ? -units : units;
}

function textOf(units: bigint, decimals: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}
