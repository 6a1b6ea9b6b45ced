import type { BlockHeader } from "./block.ts";

type TimedBlock = Pick<BlockHeader, "number" | "timeMs">;

/**
 * Finds the newest block at or before a moment, among those below a block that is later. It looks
 * down in steps that double, and then halves the rest. So it reads no block that is far older than
 * the answer. Null: all of them are later.
 */
export async function newestAtOrBefore<Block extends TimedBlock>(
  readBlock: (number: bigint) => Promise<Block>,
  { timeMs, below }: { timeMs: number; below: bigint },
): Promise<Block | null> {
  let above = below;
  let low: Block | null = null;
  for (let step = 1n; above > 0n && low === null; step *= 2n) {
    const block = await readBlock(above > step ? above - step : 0n);
    if (block.timeMs <= timeMs) low = block;
    else above = block.number;
  }
  while (low !== null && above - low.number > 1n) {
    const middle = await readBlock((low.number + above) / 2n);
    if (middle.timeMs <= timeMs) low = middle;
    else above = middle.number;
  }
  return low;
}
