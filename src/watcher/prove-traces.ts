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

type TracedChain = Pick<ChainSource, "readElsewhere" | "hostsNeeded" | "isAlone">;

/** A block as it was read, and what of it is ours. */
export type MatchedReading = { block: LoadedBlock; matched: MatchedTransaction[] };

/** A block's transactions; internal transfers that only one of several hosts shows are marked: they wait. */
export type MarkTraced = (block: MatchedBlock) => MatchedTransaction[];

/** What came of it: the worst that other hosts say of any of them, if anything is wrong. See MovesWord. */
export type ProvedTraces = {
  mark: MarkTraced;
  word: "shown" | "silent" | "other_amounts" | "disputed";
};

const worstFirst = ["disputed", "other_amounts", "silent", "shown"] as const;

/** Blocks that other hosts are asked for together. */
const blocksAtOnce = 8;

/**
 * Holds the internal transfers in blocks against what another host's traces show: balances show how much a wallet got, and
 * nothing but a trace shows from whom. Where no other host traces, the word of one is all there is.
 */
export async function proveTraces(
  chain: TracedChain,
  found: readonly MatchedReading[],
): Promise<ProvedTraces> {
  if (chain.isAlone()) return { mark: ({ matched }) => matched, word: "shown" };
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
  const words = asked.flatMap(({ block, matched }) =>
    matched.filter(isOnlyTraced).map((one) => judge(one, heard.get(block.header.hash))),
  );
  return {
    mark: ({ header, matched }) => matched.map((one) => markOne(one, heard.get(header.hash))),
    word: worstFirst.find((word) => words.includes(word)) ?? "shown",
  };
}

function judge(one: MatchedTransaction, heard: Heard | undefined): ProvedTraces["word"] {
  if (heard === undefined) return "silent";
  const word = wordOf(heard, walletOf(one));
  switch (word.kind) {
    case "alone":
      return "shown";
    case "agreed":
      return word.block === heard.readings[0] ? "shown" : "disputed";
    default:
      return word.kind;
  }
}

/** Nobody was asked where a wallet was added meanwhile: that waits, too. */
function markOne(one: MatchedTransaction, heard: Heard | undefined): MatchedTransaction {
  if (!isOnlyTraced(one)) return one;
  if (judge(one, heard) !== "shown") return { ...one, isUnproven: true };
  const isAgreed = heard !== undefined && wordOf(heard, walletOf(one)).kind === "agreed";
  return isAgreed ? { ...one, proof: "agreed" } : one;
}
