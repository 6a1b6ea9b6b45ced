import type { KnownToken } from "./known-tokens.ts";

/** What is written of a chain that is new in the configuration; the rest is what suits the chain. */
export type NewChain = {
  name: string;
  chainId: number;
  /** URLs, or placeholders that the environment fills in. */
  rpc: readonly string[];
  tokens: readonly KnownToken[];
};
