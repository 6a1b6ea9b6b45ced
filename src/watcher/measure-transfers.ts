import { type BalanceProof, weakestProof } from "../domain/chain/block-proof.ts";
import { faultIn } from "../domain/fault.ts";
import { isMeasured } from "../domain/money/asset.ts";
import type { BalanceQuestion } from "../domain/money/balance.ts";
import {
  type MatchedBlock,
  type MatchedTransaction,
  walletOf,
} from "../domain/money/matched-transaction.ts";
import type { ChainSource } from "../domain/watch/chain-source.ts";
import type { WatchedAsset, Watchlist } from "../domain/watch/watchlist.ts";
import { isShown } from "./gate/shown.ts";

type MeasuringChain = Pick<ChainSource, "balancesAt" | "isAlone">;

/** The amount that a transfer really moved, as it was measured, and the proof of it. */
type Amount = { amountAtomic: bigint; proof: BalanceProof };

/** Returns a block's transactions with the measured amounts. */
export type Measured = (block: MatchedBlock) => MatchedTransaction[];

/** The number of blocks whose balances are read together. */
const blocksAtOnce = 64;

/**
 * Measures what transfers of a token with a fee really moved: the difference of the wallet's
 * balance across the block. It counts only if the block has no other transfer of that wallet and
 * token. Otherwise the logged amount counts, and the reconciler adjusts the rest
 * (docs/invariants.md#how-money-moves). The logged amount also counts if the balances cannot be
 * read, or if only one of several hosts claims them. A fee can only make a deposit smaller, and a
 * withdrawal larger. So no answer of an endpoint makes a deposit larger than its log.
 * @throws Fault `rpc_unavailable`
 */
export async function measureTransfers(
  chain: MeasuringChain,
  { list, blocks }: { list: Pick<Watchlist, "assets">; blocks: readonly MatchedBlock[] },
): Promise<Measured> {
  const assets = new Map<number, WatchedAsset>(
    [...list.assets.values()].filter(({ kind }) => isMeasured(kind)).map((one) => [one.id, one]),
  );
  const amounts = new Map<string, Amount>();
  const toMeasure = assets.size === 0 ? [] : blocks.flatMap((block) => measurableIn(block, assets));
  for (let first = 0; first < toMeasure.length; first += blocksAtOnce) {
    const some = toMeasure.slice(first, first + blocksAtOnce);
    await Promise.all(some.map((block) => measureBlock(chain, block, amounts)));
  }
  return ({ header, matched }) =>
    matched.map((one) => {
      const measured = amounts.get(`${header.hash}/${one.identity}`);
      if (measured === undefined || measured.amountAtomic === one.amountAtomic) return one;
      const { amountAtomic, proof } = measured;
      return { ...one, amountAtomic, proof: proof === "state" ? one.proof : proof };
    });
}

/** The transfers of a block that are the only ones of their wallet and token. */
type Measurable = MatchedBlock & { asked: BalanceQuestion[] };

function measurableIn(
  { header, matched }: MatchedBlock,
  assets: ReadonlyMap<number, WatchedAsset>,
): Measurable[] {
  const counts = new Map<string, number>();
  for (const one of matched) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  const alone = matched.flatMap((transaction) => {
    const asset = assets.get(transaction.assetId);
    return asset === undefined || counts.get(keyOf(transaction)) !== 1
      ? []
      : [{ transaction, assetAddress: asset.address }];
  });
  if (alone.length === 0) return [];
  const asked = alone.map(({ transaction, assetAddress }) => ({
    walletAddress: walletOf(transaction),
    assetAddress,
  }));
  return [{ header, matched: alone.map(({ transaction }) => transaction), asked }];
}

async function measureBlock(
  chain: MeasuringChain,
  { header, matched, asked }: Measurable,
  amounts: Map<string, Amount>,
): Promise<void> {
  try {
    const [before, after] = await Promise.all([
      chain.balancesAt(header.parentHash, asked),
      chain.balancesAt(header.hash, asked),
    ]);
    for (const [index, one] of matched.entries()) {
      if (!isShown(chain, before, index) || !isShown(chain, after, index)) continue;
      const change = (after.amounts[index] ?? 0n) - (before.amounts[index] ?? 0n);
      const amountAtomic = change > 0n ? change : -change;
      const proof = weakestProof([before, after].map(({ proofs }) => proofs[index] ?? "answered"));
      if (isBelievable(one, change))
        amounts.set(`${header.hash}/${one.identity}`, { amountAtomic, proof });
    }
  } catch (error) {
    if (faultIn(error)?.code !== "state_unavailable") throw error;
  }
}

/** True if a fee can explain the change. `change` is signed, in atomic units. */
function isBelievable({ direction, amountAtomic }: MatchedTransaction, change: bigint): boolean {
  return direction === "in" ? change > 0n && change <= amountAtomic : -change >= amountAtomic;
}

function keyOf({ walletId, assetId }: MatchedTransaction): string {
  return `${walletId}/${assetId}`;
}
