import type { BalancesRead } from "../../domain/money/balance.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";

/**
 * Whether balances are shown: by the state root, by two hosts that say the same, or by the only host there is. Where there
 * are others, one of them alone shows nothing.
 */
export function isShown(
  chain: Pick<ChainSource, "isAlone">,
  { proof }: Pick<BalancesRead, "proof">,
): boolean {
  return proof !== "answered" || chain.isAlone();
}
