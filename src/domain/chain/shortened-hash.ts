/** The parts of a hash or an address around a gap, without `0x`. `end` may be empty. */
export type ShortenedHash = { begin: string; end: string };

/** The fewest digits before the gap: a list of a business has few hashes that begin alike. */
const leastDigits = 6;

const shortened = new RegExp(`^0x([0-9a-f]{${leastDigits},63})(?:(?:…|\\.{3})([0-9a-f]*))?$`);

/**
 * The parts of a hash or an address whose middle is left out, as lists show it: `0x825d3f…9b4c7f`,
 * or only its beginning. The text is in lower case. Null: the text is neither, or has fewer than
 * six digits before the gap.
 */
export function partsOfShortened(text: string): ShortenedHash | null {
  const [, begin, end = ""] = shortened.exec(text) ?? [];
  return begin === undefined ? null : { begin, end };
}
