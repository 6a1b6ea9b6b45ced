import { type ChainProfile, depth, documented, identity, recorded } from "../profile.ts";
import { ethereum } from "./ethereum.ts";

/**
 * The C-Chain. Since Helicon (ACP-194) a block is accepted first and executed later. A later header
 * settles it.
 */
const avalanche: ChainProfile = {
  ...ethereum,
  ...identity(43_114, "Avalanche C-Chain", "Avalanche", "AVAX"),
  header: "avalanche",
  receipts: "settled",
  // Fees are burned.
  paysFeeRecipient: false,
  withdrawals: "none",
  atomicCoin: "21e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff",
  systemCredits:
    "atomic imports and exports move coin between Avalanche's chains; the block's own data shows them",
  blockTimeMs: 1_000,
  finality: "a block that is served is accepted for good; it is settled about five seconds later",
  // After this many blocks a block is settled.
  confirmations: depth(10),
  explorer: "https://snowtrace.io",
  unproved:
    "since Helicon a block has no root of its receipts; the header that settles it is not compared yet",
  forks: [],
  evidence: documented(
    "ava-labs/avalanchego (ACP-194, ACP-226, ACP-283); headers rebuilt as on Fuji",
  ),
};

export const avalancheProfiles: readonly ChainProfile[] = [
  avalanche,
  {
    ...avalanche,
    chainId: 43_113,
    name: "Avalanche Fuji",
    atomicCoin: "3d9bdac0ed1d761330cf680efdeb1a42159eb387d6d2950c96f7d28f61bbe2aa",
    explorer: "https://testnet.snowtrace.io",
    evidence: recorded("block 58,119,344, after Helicon"),
  },
];
