import { newestAtOrBefore } from "../../domain/chain/newest-at-or-before.ts";
import type { AttestedBlock, EvidenceSource } from "../../domain/evidence/attestation.ts";
import { invalidField } from "../../domain/text.ts";

/**
 * Finds the newest block at or before a moment.
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
  const found = await newestAtOrBefore(readBlock, { timeMs, below: confirmed });
  if (found === null) throw invalidField("at", "must not be before the chain began");
  return found;
}
