import type { Position } from "../../domain/chain/block.ts";
import { type ConfirmationPolicy, confirmedHeight } from "../../domain/chain/confirmation.ts";
import type { LoadedBlock } from "../../domain/money/movement.ts";
import type { ChainSource, Witness } from "../../domain/watch/chain-source.ts";
import { readTag } from "../confirmable.ts";

export type NextChain = Pick<ChainSource, "tagged" | "witness" | "loadBlock" | "loadAnnounced">;

/** A block to be committed, and what confirming needs: the tag of the policy, and what another endpoint says. */
export type NextBlock = { block: LoadedBlock; tag: Position | null; witness: Witness | null };

/** Reads the block of a height, and asks another endpoint at the same time. */
export async function askNext(
  chain: NextChain,
  number: bigint,
  policy: ConfirmationPolicy,
): Promise<NextBlock> {
  const tag = await readTag(chain, policy);
  const [block, witness] = await Promise.all([
    chain.loadBlock(number),
    askWitness(chain, { number, tag, policy }),
  ]);
  return { block, tag, witness };
}

/**
 * Reads the block after a position where it has been announced, with everything else asked for at the same time. Null
 * where it has to be asked for by its height: it was not announced, could not be read, or the tag is above it (a tag
 * must be read before the block).
 */
export async function askAnnounced(
  chain: NextChain,
  after: Position,
  policy: ConfirmationPolicy,
): Promise<NextBlock | null> {
  const loading = chain.loadAnnounced(after);
  if (loading === null) return null;
  const askConfirming = async () => {
    const tag = await readTag(chain, policy);
    return { tag, witness: await askWitness(chain, { number: after.number + 1n, tag, policy }) };
  };
  const [block, { tag, witness }] = await Promise.all([loading, askConfirming()]);
  if (block === null || (tag !== null && tag.number > block.header.number)) return null;
  return { block, tag, witness };
}

/** What another endpoint says of the height that the block would confirm; null where it would confirm none. */
async function askWitness(
  chain: NextChain,
  of: { number: bigint; tag: Position | null; policy: ConfirmationPolicy },
): Promise<Witness | null> {
  const { number, tag, policy } = of;
  const confirmed = confirmedHeight(number, policy, tag?.number ?? null);
  return confirmed < 0n ? null : chain.witness(confirmed);
}
