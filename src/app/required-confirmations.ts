import type { ChainConfig } from "../config/config.ts";
import type { RequiredConfirmations } from "../domain/money/recorded-transaction.ts";

/** The configured number of confirmations, by the name of the chain. */
export function requiredConfirmationsOf(chains: readonly ChainConfig[]): RequiredConfirmations {
  const depths = new Map(chains.map((chain) => [chain.name, usualDepth(chain)]));
  return (chainName) => depths.get(chainName) ?? null;
}

/**
 * The number of blocks that a transaction waits for. Exact if the policy is a depth, approximate if
 * it is a time. Null: unknown.
 */
function usualDepth({ confirmations: policy, profile }: ChainConfig): number | null {
  switch (policy.kind) {
    case "depth":
      return policy.depth;
    case "age":
      return Math.ceil(policy.ageMs / profile.blockTimeMs) + 1;
    case "tag":
      return null;
  }
}
