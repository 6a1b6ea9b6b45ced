import type { Hash } from "../domain/chain/block.ts";
import {
  isOnlyTraced,
  type MatchedBlock,
  type MatchedTransaction,
  walletOf,
} from "../domain/money/matched-transaction.ts";
import type { LoadedBlock } from "../domain/money/movement.ts";
import type { ChainSource } from "../domain/watch/chain-source.ts";
import { type Heard, hearMoves, wordOf } from "./gate/hear-moves.ts";

type TracedChain = Pick<ChainSource, "readElsewhere" | "isAlone">;

/** A block as it was read, and what of it is ours. */
export type MatchedReading = { block: LoadedBlock; matched: MatchedTransaction[] };

/** A block's transactions; internal transfers that only one of several hosts shows are marked: they wait. */
export type MarkTraced = (block: MatchedBlock) => MatchedTransaction[];

/** Blocks that other hosts are asked for together. */
const blocksAtOnce = 8;

/**
 * Holds the internal transfers in blocks against what another host's traces show: balances show how much a wallet got, and
 * nothing but a trace shows from whom. Where no other host traces, the word of one is all there is.
 */
export async function proveTraces(
  chain: TracedChain,
  found: readonly MatchedReading[],
): Promise<MarkTraced> {
  if (chain.isAlone()) return ({ matched }) => matched;
  const asked = found.filter(({ matched }) => matched.some(isOnlyTraced));
  const heard = new Map<Hash, Heard>();
  for (let first = 0; first < asked.length; first += blocksAtOnce) {
    const some = asked.slice(first, first + blocksAtOnce);
    await Promise.all(
      some.map(async ({ block, matched }) => {
        const wallets = matched.filter(isOnlyTraced).map(walletOf);
        heard.set(block.header.hash, await hearMoves(chain, block, wallets));
      }),
    );
  }
  return ({ header, matched }) => matched.map((one) => markOne(one, heard.get(header.hash)));
}

/** Nobody was asked where a wallet was added meanwhile: that waits, too. */
function markOne(one: MatchedTransaction, heard: Heard | undefined): MatchedTransaction {
  if (!isOnlyTraced(one)) return one;
  const word = heard === undefined ? null : wordOf(heard, walletOf(one));
  if (word?.kind === "alone") return one;
  const isAgreed = word?.kind === "agreed" && word.block === heard?.readings[0];
  return isAgreed ? { ...one, proof: "agreed" } : { ...one, isUnproven: true };
}
