import type { AttestedBlock, EvidenceSource } from "../../domain/evidence/attestation.ts";
import { invalidField } from "../../domain/text.ts";

/**
 * Finds the newest block at or before a moment, by binary search.
 * @param confirmed the moment must be before the block after this one
 * @throws Fault `invalid_request` if that block is not confirmed, or if the chain began later
 */
export async function blockAtTime(
  { readBlock }: Pick<EvidenceSource, "readBlock">,
  time: Date,
  confirmed: bigint,
): Promise<AttestedBlock> {
  const timeMs = time.getTime();
  const newest = await readBlock(confirmed);
  if (newest.timeMs < timeMs)
    throw invalidField("at", `must not be after the last confirmed block, ${confirmed}`);
  if (newest.timeMs === timeMs) return newest;
  let low = await readBlock(0n);
  if (low.timeMs > timeMs) throw invalidField("at", "must not be before the chain began");
  let above = confirmed;
  while (above - low.number > 1n) {
    const middle = await readBlock((low.number + above) / 2n);
    if (middle.timeMs <= timeMs) low = middle;
    else above = middle.number;
  }
  return low;
}
