import type { BlockHeader, Hash } from "../domain/chain/block.ts";
import type { BalanceQuestion, BalancesRead } from "../domain/money/balance.ts";
import type { BalanceChange, BalanceVerdict } from "../domain/money/balance-change.ts";
import { nativeAddress } from "../domain/money/movement.ts";
import type { ChainSource } from "../domain/watch/chain-source.ts";
import { unlessGone } from "./gate/ask-again.ts";

/**
 * `each`: a wallet's balances after each transaction of a block that changed it. `last`: only its
 * balance after the block.
 */
type After = { kind: "each"; amounts: readonly bigint[] } | { kind: "last"; amount: bigint };

type BalancesAfter = Omit<BalancesRead, "amounts"> & { of: After[] };

/**
 * Reads balances of wallets after a block, in the order asked. For the coin, also after each
 * transaction, if the block has an access list and an endpoint gives it.
 * @throws as ChainSource's `balancesAt`
 */
async function readAfter(
  chain: Pick<ChainSource, "balancesAt" | "coinSteps">,
  blockHash: Hash,
  questions: readonly BalanceQuestion[],
): Promise<BalancesAfter> {
  const isCoin = questions.every(({ assetAddress }) => assetAddress === nativeAddress);
  const wallets = questions.map(({ walletAddress }) => walletAddress);
  const steps = isCoin ? await chain.coinSteps(blockHash, wallets) : null;
  // The list is proved as well as the state root is: the header has the hash of both.
  if (steps !== null)
    return {
      of: steps.map((amounts) => ({ kind: "each", amounts })),
      proofs: steps.map(() => "state"),
      disputed: [],
      reverted: [],
      silent: [],
    };
  const { amounts, ...shown } = await chain.balancesAt(blockHash, questions);
  return { of: amounts.map((amount) => ({ kind: "last", amount })), ...shown };
}

/**
 * Reads the same, and the balances before the block. Null: no endpoint has those states any more.
 */
export function readAround(
  chain: Pick<ChainSource, "balancesAt" | "coinSteps">,
  { hash, parentHash }: Pick<BlockHeader, "hash" | "parentHash">,
  questions: readonly BalanceQuestion[],
): Promise<[before: BalancesRead, after: BalancesAfter] | null> {
  const before = chain.balancesAt(parentHash, questions);
  return unlessGone(Promise.all([before, readAfter(chain, hash, questions)]));
}

/**
 * Finds the first place at which a wallet's movements in a block do not add up to its balances.
 * Null: they all do.
 */
export function findDifference(
  change: Pick<BalanceChange, "sumAtomic" | "stepsAtomic">,
  { beforeAtomic, after }: { beforeAtomic: bigint; after: After | undefined },
): Extract<BalanceVerdict, { kind: "differs" }> | null {
  const { sumAtomic, stepsAtomic } = change;
  const amounts = after?.kind === "each" ? after.amounts : [after?.amount ?? 0n];
  if (after?.kind !== "each" || stepsAtomic === null) {
    const afterAtomic = amounts.at(-1) ?? beforeAtomic;
    return differing({ beforeAtomic, sumAtomic, afterAtomic });
  }
  let wasAtomic = beforeAtomic;
  for (let place = 0; place < Math.max(stepsAtomic.length, amounts.length); place += 1) {
    const step = stepsAtomic[place] ?? 0n;
    const afterAtomic = amounts[place] ?? wasAtomic;
    const difference = differing({ beforeAtomic: wasAtomic, sumAtomic: step, afterAtomic });
    if (difference !== null) return difference;
    wasAtomic = afterAtomic;
  }
  return null;
}

function differing(
  found: Omit<Extract<BalanceVerdict, { kind: "differs" }>, "kind">,
): Extract<BalanceVerdict, { kind: "differs" }> | null {
  const { beforeAtomic, sumAtomic, afterAtomic } = found;
  return beforeAtomic + sumAtomic === afterAtomic ? null : { kind: "differs", ...found };
}
