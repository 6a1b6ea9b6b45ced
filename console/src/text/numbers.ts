import { language } from "./language.ts";

const parts = new Intl.NumberFormat(language).formatToParts(1_234.5);

/** The mark before the decimals of a number. */
export const decimalMark = markOf("decimal");

/**
 * The mark between groups of digits. A point would be read as the decimal point, with which the API
 * takes amounts. Beside a comma a narrow space parts the groups (ISO 80000-1).
 */
export const groupMark = decimalMark === "," ? "\u202f" : markOf("group");

/** A number as its formatter writes it, with our mark between groups of digits. */
export function numberText(formatter: Intl.NumberFormat, value: number): string {
  const written = formatter.formatToParts(value);
  return written.map((part) => (part.type === "group" ? groupMark : part.value)).join("");
}

function markOf(type: "group" | "decimal"): string {
  return parts.find((part) => part.type === type)?.value ?? "";
}
