import type { BlockParts } from "./asking/load-block.ts";

// Whether two endpoints answered the same of a block: byte for byte, but for what one node writes and another leaves out.

/** What nodes add for convenience, or write in their own way: no part of what consensus hashes is among it. */
const conveniences = new Set([
  // Of a block.
  ...["size", "totalDifficulty", "author", "sealFields", "transactionCount", "blockTimestamp"],
  ...["milliTimestamp", "timestampMillis", "timestampNano", "timestampMilliseconds"],
  ...["l1BatchNumber", "l1BatchTimestamp", "sendCount", "sendRoot"],
  // Of a transaction: `v` of a typed one is its `yParity`, and the price that it paid is in its receipt.
  ...["chainId", "v", "yParity", "gasPrice", "publicKey", "standardV", "creates", "raw"],
  // Of a receipt or a log.
  ...["root", "transactionLogIndex", "logType", "gasUsedForL1", "l1BlockNumber", "timeboosted"],
]);

/** Where the answers of two endpoints about one block differ, in words; null: they agree. */
export function differenceOf(a: BlockParts, b: BlockParts): string | null {
  return (
    differ(a.block.raw, b.block.raw, "block") ??
    differ(
      a.receipts.map(({ raw }) => raw),
      b.receipts.map(({ raw }) => raw),
      "receipts",
    )
  );
}

/** The first place where two values differ. What is null, and what is not there, are the same. */
function differ(a: unknown, b: unknown, at: string): string | null {
  const [one, other] = [a ?? null, b ?? null];
  if (one === other) return null;
  if (typeof one === "string" && typeof other === "string")
    return one.toLowerCase() === other.toLowerCase() ? null : at;
  if (!isStructure(one) || !isStructure(other) || Array.isArray(one) !== Array.isArray(other))
    return at;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  for (const key of keys) {
    const [left, right] = [Reflect.get(one, key) ?? null, Reflect.get(other, key) ?? null];
    if (conveniences.has(key) && (left === null || right === null)) continue;
    const found = differ(left, right, `${at}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

function isStructure(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
