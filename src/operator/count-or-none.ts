import { invalidField } from "../domain/text.ts";
import { count, type Reader } from "./parameter.ts";

/** On the command line: a whole number, or `word` for null. */
export function countOr(word: string): Reader<number | null> {
  return {
    expected: count.expected.replace(/\.$/, `, or ${word}.`),
    read: (given) => (given === word ? null : count.read(given)),
  };
}

type Wanted = number | null | undefined;

/** Accepts a whole number from 1 to `most`, null, and undefined. @throws Fault `invalid_request` */
export function requireCountOrNone(wanted: Wanted, rule: { field: string; most: number }): Wanted {
  if (wanted === undefined || wanted === null) return wanted;
  if (Number.isInteger(wanted) && wanted >= 1 && wanted <= rule.most) return wanted;
  throw invalidField(rule.field, `expected a whole number from 1 to ${rule.most}, or null`);
}
