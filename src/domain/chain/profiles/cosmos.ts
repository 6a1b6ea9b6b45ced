import { assumed, type ChainProfile, depth, recorded } from "../profile.ts";
import { ethereum } from "./ethereum.ts";

/**
 * Chains of the Cosmos SDK. Tendermint makes the block's hash, and the roots are not of Ethereum
 * tries.
 */
export const cosmos: ChainProfile = {
  ...ethereum,
  family: "Cosmos EVM",
  header: "own",
  hasTransactionsRoot: false,
  receipts: "none",
  hasLogGaps: true,
  paysFeeRecipient: false,
  withdrawals: "none",
  systemCredits: "transactions of the Cosmos side move coin and are in no EVM block",
  finality: "at once: an accepted block stays",
  confirmations: depth(4),
  unproved: "nothing of a block is proved: a second endpoint that agrees is all there is",
  forks: [],
};

export const cosmosProfiles: readonly ChainProfile[] = [
  {
    ...cosmos,
    chainId: 25,
    name: "Cronos",
    coin: { code: "CRO" },
    blockTimeMs: 600,
    explorer: "https://cronoscan.com",
    evidence: recorded("blocks 6,542 to 11,446,765: the bloom does not hold all logs"),
  },
  {
    ...cosmos,
    chainId: 1_329,
    name: "Sei",
    coin: { code: "SEI" },
    blockTimeMs: 400,
    explorer: "https://seiscan.io",
    evidence: assumed("docs.sei.io: Tendermint's block hashes; no block was seen"),
  },
];
