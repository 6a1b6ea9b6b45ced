import type { BlockProof, TracingChoice, UnreadablePolicy } from "./block-proof.ts";
import type { ChainProfile, NativeAlias } from "./profile.ts";

/** The amount of requests to a chain's endpoints. */
export const readings = {
  full: { description: "all that shows what moved, as soon as it can be had" },
  economical: { description: "as few requests as the proofs allow" },
} as const;

export type Reading = keyof typeof readings;

/** The drawbacks of how a chain is read, a sentence for each. */
export const drawbacks = {
  traces:
    "Coin that contracts pay is not found in its block, and nobody is notified of it. A comparison of balances finds it (`reconcile_interval`).",
  due: "Blocks are not announced, not even by a websocket. The head is asked for when the next block is due. A block that comes early is found at that time.",
  waits: "A block that may hold something of ours is asked for in two steps, not in one.",
  traces_missing:
    "No endpoint gives traces now: coin that contracts pay is found when balances are compared.",
} as const;

export type Drawback = keyof typeof drawbacks;

/**
 * The drawbacks for a chain with this reading. `isTraced`: its traces are read in any case, or
 * would add nothing.
 */
export function givenUpBy(reading: Reading, isTraced: boolean): Drawback[] {
  if (reading === "full") return [];
  return isTraced ? ["due"] : ["traces", "due", "waits"];
}

/** The drawback for a traced chain while no endpoint gives traces. */
export function lacking(areTracesMissing: boolean): Drawback[] {
  return areTracesMissing ? ["traces_missing"] : [];
}

/** The rules by which one chain's blocks are read and proved. */
export type ChainRules = {
  /** The EIP-155 id. An endpoint of another chain is not used. */
  chainId: number;
  /** The amount of requests to the endpoints. */
  reading: Reading;
  /** The way in which internal transfers are read. */
  tracing: TracingChoice;
  /** The proof that each block needs. */
  proof: BlockProof;
  /** The fate of blocks that this version cannot read. */
  unreadable: UnreadablePolicy;
  /** The known facts about the chain. */
  profile: ChainProfile;
  /**
   * Contracts that show the chain's coin as a token, from the profile and from the configuration.
   */
  nativeAliases: readonly NativeAlias[];
  /**
   * True if the coin's moves in a block must explain the change of the balances before they are
   * confirmed.
   */
  balanceCheck: boolean;
};
