/**
 * The words of providers for a range of eth_getLogs that is too wide or has too many results. Some
 * use the codes of a rate limit, so only the words tell the two apart.
 */
const tooWideWords =
  /(?:block|query|max(?:imum)?|allowed)[ -]?range|range (?:is )?too|ranges over|too (?:large|wide|many) (?:block|result|log)|more than [\d,]+ (?:results|logs|blocks)|(?:limited to|limit of|exceeds?)[^.]*(?:range|results|logs|blocks)|response size|this block range should work|logs matched by query/i;

export function isTooWide(reason: string): boolean {
  return tooWideWords.test(reason);
}

/** Two heights in brackets, as providers write a range that would work. */
const workingRange = /\[\s*(0x[0-9a-f]+|\d+)\s*,\s*(0x[0-9a-f]+|\d+)\s*\]/i;

/**
 * A number of blocks: plain, with commas, or as `10k`. A number of logs or results does not match,
 * nor does a code such as `-32005`.
 */
const blockCounts = [
  /(?:range|blocks?)[^.\d]{0,40}?(?<!-)(\d[\d,]*)(k?)\b(?! *(?:results|logs))/i,
  /(?<![-\d,])(\d[\d,]*)(k?)[ -]*(?:blocks?|range)/i,
];

/**
 * The number of blocks from `from` on that a refusal suggests. Null: it suggests none, or no fewer
 * than were asked for.
 */
export function suggestedBlocks(
  reason: string,
  asked: { from: bigint; to: bigint },
): number | null {
  const { from, to } = asked;
  const words = reason.replace(/\b(?:error|code|status):? -?\d+,?/gi, "");
  const size = Number(to - from) + 1;
  const smaller = (count: number) => (count >= 1 && count < size ? count : null);
  const range = workingRange.exec(words);
  if (range?.[1] !== undefined && range[2] !== undefined) {
    const [low, high] = [BigInt(range[1]), BigInt(range[2])];
    // Some providers have suggested ranges that run backwards, or begin elsewhere.
    return low === from ? smaller(Number(high - low) + 1) : null;
  }
  for (const pattern of blockCounts) {
    const [, digits, thousands] = pattern.exec(words) ?? [];
    if (digits === undefined) continue;
    const count = Number(digits.replaceAll(",", "")) * (thousands === "" ? 1 : 1_000);
    const found = smaller(count);
    if (found !== null) return found;
  }
  return null;
}
