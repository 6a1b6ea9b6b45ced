import type { KnownToken } from "./known-tokens.ts";

/** The settings written for a new chain in the configuration. All others keep their defaults. */
export type NewChain = {
  name: string;
  chainId: number;
  /** URLs, or placeholders for environment variables. */
  rpc: readonly string[];
  tokens: readonly KnownToken[];
};
