/** The parts of a hash or an address around a gap, without `0x`. `end` may be empty. */
export type ShortenedHash = { begin: string; end: string };

/** The fewest digits before the gap. With so many, a business's list has few matching hashes. */
const leastDigits = 6;

const shortened = new RegExp(`^0x([0-9a-f]{${leastDigits},63})(?:(?:…|\\.{3})([0-9a-f]*))?$`);

/**
 * Splits a hash or an address whose middle is left out, as lists show it: `0x825d3f…9b4c7f`, or
 * only its beginning. The text must be in lower case. Null: it is neither, or has fewer than six
 * digits before the gap.
 */
export function partsOfShortened(text: string): ShortenedHash | null {
  const [, begin, end = ""] = shortened.exec(text) ?? [];
  return begin === undefined ? null : { begin, end };
}
