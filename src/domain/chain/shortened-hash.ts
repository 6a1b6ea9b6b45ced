/** The parts of a hash or an address around a gap, without `0x`. `end` may be empty. */
export type ShortenedHash = { begin: string; end: string };

/** The fewest digits of a beginning alone. With so many, a business's list has few such hashes. */
const leastAlone = 6;

/** The fewest digits before and after a gap, as wallets and explorers leave them. */
const leastOfBoth = 4;

const shortened = /^0x([0-9a-f]{1,63})(?:(?:…|\.{3})([0-9a-f]*))?$/;

/**
 * Splits a hash or an address whose middle is left out, as lists show it: `0x825d…4c7f`, or only
 * its beginning. The text must be in lower case. Null: it is neither. It is also null with fewer
 * than six digits before the gap, unless both ends have at least four.
 */
export function partsOfShortened(text: string): ShortenedHash | null {
  const [, begin = "", end = ""] = shortened.exec(text) ?? [];
  const least = end.length < leastOfBoth ? leastAlone : leastOfBoth;
  return begin.length < least ? null : { begin, end };
}
