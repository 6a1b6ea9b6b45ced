import type { BlockHeader, Hash } from "../domain/chain/block.ts";
import { type BalanceProof, weakestProof } from "../domain/chain/block-proof.ts";
import type { BalanceQuestion } from "../domain/money/balance.ts";
import type { MatchedTransaction } from "../domain/money/matched-transaction.ts";
import type { ChainSource } from "../domain/watch/chain-source.ts";
import { unlessGone } from "./gate/ask-again.ts";
import { isShown } from "./gate/shown.ts";

export type ChangingChain = Pick<ChainSource, "balancesAt" | "isAlone">;

/** The balances whose change across a block is asked for. */
type Asked = {
  header: Pick<BlockHeader, "hash" | "parentHash">;
  asked: readonly BalanceQuestion[];
};

/**
 * The signed change of a balance across a block, and its proof. Null: it is not shown. No endpoint
 * has those states any more, or only one of several hosts claims them.
 */
export type ShownChange = { changeAtomic: bigint; proof: BalanceProof } | null;

/** Names a movement in one block. The block may be another one after a reorg. */
export function movementIn(
  { hash }: Pick<BlockHeader, "hash">,
  { identity }: Pick<MatchedTransaction, "identity">,
): string {
  return `${hash}/${identity}`;
}

/** The number of blocks whose balances are read together. */
const blocksAtOnce = 64;

/**
 * Reads how balances changed across blocks, in the order asked. Waits for hosts that do not have a
 * new block yet: the amount of a movement is decided once.
 * @throws Fault `rpc_unavailable`
 */
export async function readChanges(
  chain: ChangingChain,
  blocks: readonly Asked[],
): Promise<ShownChange[][]> {
  const read: ShownChange[][] = [];
  for (let first = 0; first < blocks.length; first += blocksAtOnce) {
    const some = blocks.slice(first, first + blocksAtOnce);
    read.push(...(await Promise.all(some.map((block) => changesIn(chain, block)))));
  }
  return read;
}

async function changesIn(chain: ChangingChain, { header, asked }: Asked): Promise<ShownChange[]> {
  const read = (hash: Hash) => chain.balancesAt(hash, asked, { isPatient: true });
  const around = await unlessGone(Promise.all([read(header.parentHash), read(header.hash)]));
  if (around === null) return asked.map(() => null);
  const [before, after] = around;
  return asked.map((_, place) => {
    if (!isShown(chain, before, place) || !isShown(chain, after, place)) return null;
    return {
      changeAtomic: (after.amounts[place] ?? 0n) - (before.amounts[place] ?? 0n),
      proof: weakestProof([before, after].map(({ proofs }) => proofs[place] ?? "answered")),
    };
  });
}
