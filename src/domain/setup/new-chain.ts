import type { KnownToken } from "./known-tokens.ts";

/**
 * The settings that are written for a chain that is new in the configuration. The rest are the
 * defaults that suit the chain.
 */
export type NewChain = {
  name: string;
  chainId: number;
  /** URLs, or placeholders that the environment fills in. */
  rpc: readonly string[];
  tokens: readonly KnownToken[];
};
