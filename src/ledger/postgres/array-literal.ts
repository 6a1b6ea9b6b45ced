import { Fault } from "../../domain/fault.ts";

/**
 * Matches texts that need no quotes between the commas of an array: digits, hex, ids, times, and
 * our own words.
 */
const plain = /^(?!null$)[\w.:+-]+$/i;

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
