/** The last position of each hash of three bytes. */
const remembered = new Uint32Array(8_192);

/**
 * The length in bytes after compression with FastLZ at level 1. The OP stack computes a
 * transaction's share of the data fee from it (Fjord; ethereum-optimism/op-geth,
 * core/types/rollup_cost.go, FlzCompressLen).
 */
export function fastlzLength(bytes: Uint8Array): number {
  remembered.fill(0);
  const limit = bytes.length < 13 ? 0 : bytes.length - 13;
  let length = 0;
  let anchor = 0;
  let at = 2;
  while (at < limit) {
    const found = findMatch(bytes, at, limit);
    if (found === null) break;
    if (found.at > anchor) length += literalLength(found.at - anchor);
    const matched = equalBytes(bytes, {
      one: found.earlier + 3,
      other: found.at + 3,
      end: limit + 9,
    });
    length += matchLength(matched);
    at = found.at + matched;
    remember(bytes, at);
    remember(bytes, at + 1);
    at += 2;
    anchor = at;
  }
  return length + literalLength(bytes.length - anchor);
}

/**
 * The next position below `limit - 1` whose three bytes also occurred within the 8,191 positions
 * before it. Null: there is none.
 */
function findMatch(
  bytes: Uint8Array,
  from: number,
  limit: number,
): { at: number; earlier: number } | null {
  for (let at = from; at < limit - 1; at += 1) {
    const three = threeAt(bytes, at);
    const earlier = remember(bytes, at);
    if (at - earlier <= 0x1fff && three === threeAt(bytes, earlier)) return { at, earlier };
  }
  return null;
}

/** Stores a position, and answers the one stored for the same hash before. */
function remember(bytes: Uint8Array, at: number): number {
  const slot = (Math.imul(2_654_435_769, threeAt(bytes, at)) >>> 19) & 0x1fff;
  const before = remembered[slot] ?? 0;
  remembered[slot] = at;
  return before;
}

function threeAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
}

/** The number of equal bytes at two positions. The first byte that differs counts too. */
function equalBytes(
  bytes: Uint8Array,
  { one, other, end }: { one: number; other: number; end: number },
): number {
  for (let length = 0; length < end - other; length += 1)
    if (bytes[one + length] !== bytes[other + length]) return length + 1;
  return Math.max(0, end - other);
}

function literalLength(count: number): number {
  const rest = count % 0x20;
  return 0x21 * Math.floor(count / 0x20) + (rest === 0 ? 0 : rest + 1);
}

function matchLength(count: number): number {
  const left = count - 1;
  return 3 * Math.floor(left / 262) + (left % 262 >= 6 ? 3 : 2);
}
