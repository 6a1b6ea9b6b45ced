import type { BalancesRead } from "../../domain/money/balance.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";

/**
 * True if the balance at this place is shown. The state root, hosts that agree, or the chain's only
 * host show it. One of several hosts alone shows nothing. Nothing shows the balance of a token
 * whose contract fails.
 */
export function isShown(
  chain: Pick<ChainSource, "isAlone">,
  { proofs, disputed, reverted }: Pick<BalancesRead, "proofs" | "disputed" | "reverted">,
  place: number,
): boolean {
  if (disputed.includes(place) || reverted.includes(place)) return false;
  return isProved({ proofs }, place) || chain.isAlone();
}

/** True if the balance at this place has more proof than the answer of one endpoint. */
export function isProved({ proofs }: Pick<BalancesRead, "proofs">, place: number): boolean {
  return (proofs[place] ?? "answered") !== "answered";
}
