import { Fault } from "../../domain/fault.ts";

/**
 * Matches texts that need no quotes between the commas of an array: digits, hex, ids, times, and
 * our own words.
 */
const plain = /^(?!null$)[\w.:+-]+$/i;

/** Hexadecimal digits of bytes, such as a SHA-256, as `arrayLiteral` writes others: `::bytea[]`. */
export function byteaArray(values: readonly string[]): string {
  // The notation of bytes begins with a backslash, which quotes keep only where it is doubled.
  return `{${values.map((value) => `"\\\\x${hexOf(value)}"`).join(",")}}`;
}

function hexOf(value: string): string {
  if (/^(?:[0-9a-f]{2})*$/.test(value)) return value;
  throw new Fault("invariant_broken", "Only hexadecimal digits are written as bytes.");
}

/**
 * A column of many rows as one text parameter in PostgreSQL's own notation, to be cast where it
 * stands: `${...}::uuid[]`. A list is gone over element by element by Prisma, and by the driver
 * once more; a text is passed on. For ids, hashes, numbers, times and words of ours, or the empty
 * text; null is NULL.
 * @throws Fault `invariant_broken` for a value that would have to be quoted
 */
export function arrayLiteral(values: readonly (string | number | bigint | null)[]): string {
  const parts = values.map((value) => {
    if (value === null) return "NULL";
    const text = String(value);
    if (plain.test(text)) return text;
    if (text === "") return '""';
    throw new Fault("invariant_broken", "Only plain values are written as an array.");
  });
  return `{${parts.join(",")}}`;
}
