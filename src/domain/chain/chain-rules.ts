import type { BlockProof, TracingChoice, UnreadablePolicy } from "./block-proof.ts";
import type { ChainProfile, NativeAlias } from "./profile.ts";

/** How much is asked of the endpoints of a chain. */
export const readings = {
  full: { description: "all that shows what moved, as soon as it can be had" },
  economical: { description: "as few requests as the proofs allow" },
} as const;

export type Reading = keyof typeof readings;

/** What economical reading gives up, a sentence each. */
const givenUp = {
  traces:
    "Coin that contracts pay is found when balances are compared (`reconcile_interval`), not in its block, and nobody is notified of it.",
  due: "Blocks are not announced, by a websocket neither: the head is asked for when the next block is due, and one that comes early is found when it was due.",
  waits: "A block that may hold something of ours is asked for in two steps, not in one.",
} as const;

/** What is given up on a chain that is read so. `isTraced`: its traces are read all the same, or say nothing new. */
export function givenUpBy(reading: Reading, isTraced: boolean): string[] {
  if (reading === "full") return [];
  const { traces, due, waits } = givenUp;
  return isTraced ? [due] : [traces, due, waits];
}

/** How one chain's blocks are to be read and proved. */
export type ChainRules = {
  /** EIP-155: an endpoint of another chain is not used. */
  chainId: number;
  /** How much is asked of the endpoints. */
  reading: Reading;
  /** How internal transfers are read. */
  tracing: TracingChoice;
  /** How each block is proved. */
  proof: BlockProof;
  /** What becomes of blocks that this version cannot read. */
  unreadable: UnreadablePolicy;
  /** What is known of the chain. */
  profile: ChainProfile;
  /** Contracts that show the chain's own coin as a token: the profile's, and those that only the operator knows. */
  nativeAliases: readonly NativeAlias[];
  /** Whether what a block moves of the coin must match the change of the balances before it is confirmed. */
  balanceCheck: boolean;
};
