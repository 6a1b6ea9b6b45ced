import { Fault } from "../../domain/fault.ts";

/**
 * Matches texts that need no quotes between the commas of an array: digits, hex, ids, times, and
 * our own words.
 */
const plain = /^(?!null$)[\w.:+-]+$/i;

/**
 * Writes hexadecimal digits of bytes, such as SHA-256 hashes, as an array: cast it with
 * `::bytea[]`.
 */
export function byteaArray(values: readonly string[]): string {
  // The notation of bytes begins with a backslash, which must be doubled within quotes.
  return `{${values.map((value) => `"\\\\x${hexOf(value)}"`).join(",")}}`;
}

function hexOf(value: string): string {
  if (/^(?:[0-9a-f]{2})*$/.test(value)) return value;
  throw new Fault("invariant_broken", "Only hexadecimal digits are written as bytes.");
}

/**
 * Writes a column of many rows as one text parameter in PostgreSQL's array notation. Cast it where
 * it is used: `${...}::uuid[]`. Prisma and the driver each walk through a list, but pass a text on.
 * It takes ids, hashes, numbers, times, our own words and the empty text; null becomes NULL.
 * @throws Fault `invariant_broken` for a value that would need quotes
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
