import type { Address } from "../domain/chain/address.ts";
import type { Hash } from "../domain/chain/block.ts";
import {
  isOnlyTraced,
  type MatchedBlock,
  type MatchedTransaction,
  walletOf,
} from "../domain/money/matched-transaction.ts";
import type { LoadedBlock } from "../domain/money/movement.ts";
import type { MovesVerdict } from "../domain/watch/agreement.ts";
import type { ChainSource } from "../domain/watch/chain-source.ts";

type TracedChain = Pick<ChainSource, "agreeOnMoves" | "isAlone">;

/** A block as it was read, and the verdicts of other hosts on it. */
type Shown = { block: LoadedBlock; verdictOf: (wallet: Address) => MovesVerdict };

/** A block as it was read, and the watched movements in it. */
export type MatchedReading = MatchedBlock & { block: LoadedBlock };

export type ProvedTraces = {
  /**
   * Returns a block's transactions. Marks internal transfers that only one of several hosts shows:
   * they wait.
   */
  mark: (block: MatchedBlock) => MatchedTransaction[];
  /** The worst verdict of other hosts on any of them. See MovesVerdict. */
  verdict: "shown" | "silent" | "other_amounts" | "refused" | "disputed";
};

const worstFirst = ["disputed", "other_amounts", "refused", "silent", "shown"] as const;

/** The number of blocks that other hosts are asked about together. */
const blocksAtOnce = 8;

/**
 * Compares the internal transfers in blocks with another host's traces. Balances show how much a
 * wallet got, but only a trace shows from whom. If no other host traces, one host's claim has to
 * do.
 */
export async function proveTraces(
  chain: TracedChain,
  found: readonly MatchedReading[],
): Promise<ProvedTraces> {
  if (chain.isAlone()) return { mark: ({ matched }) => matched, verdict: "shown" };
  const asked = found.filter(({ matched }) => matched.some(isOnlyTraced));
  const shown = new Map<Hash, Shown>();
  for (let first = 0; first < asked.length; first += blocksAtOnce) {
    const some = asked.slice(first, first + blocksAtOnce);
    await Promise.all(
      some.map(async ({ block, matched }) => {
        const wallets = matched.filter(isOnlyTraced).map(walletOf);
        const verdictOf = await chain.agreeOnMoves(block, wallets);
        shown.set(block.header.hash, { block, verdictOf });
      }),
    );
  }
  const verdicts = asked.flatMap(({ block, matched }) =>
    matched.filter(isOnlyTraced).map((one) => verdictOn(one, shown.get(block.header.hash))),
  );
  return {
    mark: ({ header, matched }) => matched.map((one) => markOne(one, shown.get(header.hash))),
    verdict: worstFirst.find((kind) => verdicts.includes(kind)) ?? "shown",
  };
}

function verdictOn(one: MatchedTransaction, shown: Shown | undefined): ProvedTraces["verdict"] {
  if (shown === undefined) return "silent";
  const verdict = shown.verdictOf(walletOf(one));
  switch (verdict.kind) {
    case "alone":
      return "shown";
    case "agreed":
      return verdict.block === shown.block ? "shown" : "disputed";
    default:
      return verdict.kind;
  }
}

/** Marks a transfer that no other host was asked about too, because its wallet was added since. */
function markOne(one: MatchedTransaction, shown: Shown | undefined): MatchedTransaction {
  if (!isOnlyTraced(one)) return one;
  if (verdictOn(one, shown) !== "shown") return { ...one, isUnproven: true };
  const isAgreed = shown?.verdictOf(walletOf(one)).kind === "agreed";
  return isAgreed ? { ...one, proof: "agreed" } : one;
}
