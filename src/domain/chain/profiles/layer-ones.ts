import { assumed, type ChainProfile, depth, documented, identity, recorded } from "../profile.ts";
import { ethereum } from "./ethereum.ts";

/** Chains with a consensus of their own whose headers are Ethereum's, or are said to be. */
const layerOne: ChainProfile = {
  ...ethereum,
  withdrawals: "none",
  paysFeeRecipient: false,
  forks: [],
};

export const layerOneProfiles: readonly ChainProfile[] = [
  {
    ...layerOne,
    ...identity(56, "BNB Smart Chain", "BNB Smart Chain", "BNB"),
    blockTimeMs: 450,
    finality: "fast finality, two blocks; `finalized` says so",
    // Reorgs of a few blocks were common before fast finality. This depth is 13.5 s.
    confirmations: depth(30),
    explorer: "https://bscscan.com",
    systemCredits: "fees go to a system contract, which shares them out",
    evidence: documented("bnb-chain/bsc (bsc#3808 for the fields of Amsterdam)"),
  },
  {
    ...layerOne,
    ...identity(146, "Sonic", "Sonic", "S"),
    blockTimeMs: 500,
    finality: "at once: an accepted block stays",
    confirmations: depth(4),
    explorer: "https://sonicscan.org",
    evidence: assumed("docs.soniclabs.com; Fantom, which it follows, hashed blocks in its own way"),
  },
  {
    ...layerOne,
    ...identity(80_094, "Berachain", "Berachain", "BERA"),
    paysFeeRecipient: true,
    withdrawals: "native",
    blockTimeMs: 2_000,
    finality: "at once: an accepted block stays",
    confirmations: depth(4),
    explorer: "https://berascan.com",
    evidence: assumed("docs.berachain.com; headers have had a field of their own since BRIP-2"),
  },
  {
    ...layerOne,
    ...identity(143, "Monad", "Monad", "MON"),
    paysFeeRecipient: true,
    blockTimeMs: 400,
    finality: "two rounds, about a second; `finalized` says so",
    confirmations: depth(10),
    explorer: "https://monadscan.com",
    systemCredits: "staking rewards are credited by system transactions",
    unproved:
      "its gas used is the gas limit, and requestsHash is zero; both are as its headers have them",
    evidence: documented("category-labs/monad v0.16.0; EIP-7708 was still in review (#2469)"),
  },
  {
    ...layerOne,
    ...identity(999, "HyperEVM", "Hyperliquid", "HYPE"),
    blockTimeMs: 1_000,
    finality: "at once: an accepted block stays",
    confirmations: depth(4),
    explorer: "https://hyperevmscan.io",
    systemCredits:
      "transfers from HyperCore come by system transactions, which some endpoints leave out",
    evidence: recorded("block 50,000 and the header of 1,000, which its recorder had edited"),
  },
  {
    ...layerOne,
    ...identity(9_745, "Plasma", "Plasma", "XPL"),
    blockTimeMs: 1_000,
    finality: "at once: an accepted block stays",
    confirmations: depth(4),
    explorer: "https://plasmascan.to",
    evidence: assumed("docs.plasma.to: Reth with its own consensus; no block was seen"),
  },
];
