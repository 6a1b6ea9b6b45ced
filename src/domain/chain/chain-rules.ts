import type { BlockProof, TracingChoice, UnreadablePolicy } from "./block-proof.ts";
import type { ChainProfile, NativeAlias } from "./profile.ts";

/** The ways to read a chain, by how much is asked of its endpoints. */
export const readings = {
  full: { description: "all that shows what moved, as soon as it can be had" },
  economical: { description: "as few requests as the proofs allow" },
} as const;

export type Reading = keyof typeof readings;

/** The drawbacks of economical reading, a sentence each. */
const givenUp = {
  traces:
    "Coin that contracts pay is found when balances are compared (`reconcile_interval`), not in its block, and nobody is notified of it.",
  due: "Blocks are not announced, by a websocket neither: the head is asked for when the next block is due, and one that comes early is found when it was due.",
  waits: "A block that may hold something of ours is asked for in two steps, not in one.",
} as const;

/**
 * The drawbacks for a chain that is read so. `isTraced`: its traces are read all the same, or say
 * nothing new.
 */
export function givenUpBy(reading: Reading, isTraced: boolean): string[] {
  if (reading === "full") return [];
  const { traces, due, waits } = givenUp;
  return isTraced ? [due] : [traces, due, waits];
}

/** The same for a chain that is traced, of which no endpoint gives traces now. */
export function lacking(areTracesMissing: boolean): string[] {
  return areTracesMissing
    ? ["No endpoint gives traces now: coin that contracts pay is found when balances are compared."]
    : [];
}

/** The rules by which one chain's blocks are read and proved. */
export type ChainRules = {
  /** The EIP-155 id. An endpoint of another chain is not used. */
  chainId: number;
  /** The amount that is asked of the endpoints. */
  reading: Reading;
  /** The way to read internal transfers. */
  tracing: TracingChoice;
  /** The proof that each block needs. */
  proof: BlockProof;
  /** The treatment of blocks that this version cannot read. */
  unreadable: UnreadablePolicy;
  /** The known facts about the chain. */
  profile: ChainProfile;
  /**
   * Contracts that show the chain's own coin as a token: those of the profile, and those of the
   * operator.
   */
  nativeAliases: readonly NativeAlias[];
  /**
   * True if the coin's moves in a block must match the change of the balances before they are
   * confirmed.
   */
  balanceCheck: boolean;
};
