import { age, assumed, type ChainProfile, documented, minute, recorded } from "../profile.ts";
import { txTypes } from "../tx-types.ts";
import { ethereum } from "./ethereum.ts";

/**
 * Nitro. The parent chain's messages, and the node itself, make transactions of their own types.
 * `miner` is the poster of the batch, who earns nothing.
 */
const arbitrum: ChainProfile = {
  ...ethereum,
  chainId: 42_161,
  name: "Arbitrum One",
  family: "Arbitrum Nitro",
  // Only a block with 0x6a was recorded.
  looseTypes: [
    txTypes.arbitrumDeposit,
    txTypes.arbitrumUnsigned,
    txTypes.arbitrumContract,
    txTypes.arbitrumRetry,
    txTypes.arbitrumSubmitRetryable,
    txTypes.arbitrumLegacy,
  ],
  // Nitro began here.
  rootsSince: 22_207_817n,
  paysFeeRecipient: false,
  withdrawals: "none",
  systemCredits: "refunds of retryables move coin outside of calls; Nitro's traces show them",
  traces: "nitro",
  blockTimeMs: 250,
  finality: "when Ethereum has finalized the batch, about 20 minutes; `finalized` says so",
  confirmations: age(minute),
  explorer: "https://arbiscan.io",
  unproved: "before Nitro (block 22,207,817) only header and bloom are held",
  forks: [],
  evidence: recorded("blocks 60,000,000, 150,000,000 and 350,791,066"),
};

export const arbitrumProfiles: readonly ChainProfile[] = [
  arbitrum,
  {
    ...arbitrum,
    chainId: 42_170,
    name: "Arbitrum Nova",
    rootsSince: 0n,
    explorer: "https://nova.arbiscan.io",
    unproved: null,
    evidence: documented("docs.arbitrum.io; the same software as Arbitrum One"),
  },
  {
    ...arbitrum,
    chainId: 421_614,
    name: "Arbitrum Sepolia",
    rootsSince: 0n,
    explorer: "https://sepolia.arbiscan.io",
    unproved: null,
    evidence: recorded("blocks 185,232,421 and 185,232,422"),
  },
  {
    ...arbitrum,
    chainId: 4_663,
    name: "Robinhood Chain",
    rootsSince: 0n,
    blockTimeMs: 100,
    explorer: "https://robinhoodchain.blockscout.com",
    unproved: null,
    evidence: documented("docs.robinhood.com/chain: Nitro; docs.blockscout.com: 100 ms"),
  },
  {
    ...arbitrum,
    chainId: 46_630,
    name: "Robinhood Chain Testnet",
    rootsSince: 0n,
    blockTimeMs: 100,
    explorer: "https://explorer.testnet.chain.robinhood.com",
    unproved: null,
    evidence: assumed("docs.robinhood.com/chain: Nitro; no block was seen"),
  },
];
