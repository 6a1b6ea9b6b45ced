import type { BlockProof, TracingChoice, UnreadablePolicy } from "./block-proof.ts";
import type { ChainProfile, NativeAlias } from "./profile.ts";

/** How one chain's blocks are to be read and proved. */
export type ChainRules = {
  /** EIP-155: an endpoint of another chain is not used. */
  chainId: number;
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
