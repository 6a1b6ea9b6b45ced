import type { Position } from "../../domain/chain/block.ts";
import { type ConfirmationPolicy, confirmedHeight } from "../../domain/chain/confirmation.ts";
import type { LoadedBlock } from "../../domain/money/movement.ts";
import type { ChainSource, Witness } from "../../domain/watch/chain-source.ts";
import { readTag } from "../confirmable.ts";

export type NextChain = Pick<ChainSource, "tagged" | "witness" | "loadBlock" | "loadAnnounced">;

/** A block to be committed, with what confirming needs to know: the tag of the policy, and what another endpoint says. */
export type NextBlock = { block: LoadedBlock; tag: Position | null; witness: Witness | null };

/** The block of a height that the chain has, and beside it the other endpoint's word. */
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
 * The same where the block after the position has been announced, everything at once. Null: ask in order. So it is also
 * where the tag turns out to be above the block, which then has to be asked for after the tag.
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
