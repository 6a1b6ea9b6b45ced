import type { Hash } from "../domain/chain/block.ts";
import type { BalanceProof } from "../domain/chain/block-proof.ts";
import type { BalanceQuestion } from "../domain/money/balance.ts";
import type { BalanceChange, BalanceVerdict } from "../domain/money/balance-change.ts";
import { nativeAddress } from "../domain/money/movement.ts";
import type { ChainSource } from "../domain/watch/chain-source.ts";

/** What a wallet has after each transaction of a block that changed it (`each`), or after the block. */
type After = { kind: "each"; amounts: readonly bigint[] } | { kind: "last"; amount: bigint };

/**
 * What wallets have after a block, in the order asked: of the coin after each transaction, where the block has an access
 * list and an endpoint gives it.
 * @throws as ChainSource's `balancesAt`
 */
export async function readAfter(
  chain: Pick<ChainSource, "balancesAt" | "coinSteps">,
  blockHash: Hash,
  questions: readonly BalanceQuestion[],
): Promise<{ of: After[]; proof: BalanceProof }> {
  const isCoin = questions.every(({ assetAddress }) => assetAddress === nativeAddress);
  const wallets = questions.map(({ walletAddress }) => walletAddress);
  const steps = isCoin ? await chain.coinSteps(blockHash, wallets) : null;
  // The hash of the list is in the header, as the root of the state is.
  if (steps !== null)
    return { of: steps.map((amounts) => ({ kind: "each", amounts })), proof: "state" };
  const { amounts, proof } = await chain.balancesAt(blockHash, questions);
  return { of: amounts.map((amount) => ({ kind: "last", amount })), proof };
}

/** The first place at which a wallet's movements in a block do not make up its balances; null: they do. */
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
