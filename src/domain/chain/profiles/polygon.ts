import { type ChainProfile, depth, documented, eip7708, identity, recorded } from "../profile.ts";
import { txTypes } from "../tx-types.ts";
import { ethereum } from "./ethereum.ts";

const polygon: ChainProfile = {
  ...ethereum,
  ...identity(137, "Polygon PoS", "Polygon Bor", "POL"),
  header: "bor",
  // Since block 80,084,800 the roots cover Heimdall's state syncs, but JSON-RPC does not give their
  // bytes.
  looseTypes: [txTypes.stateSync],
  outsideRoots: "state-sync",
  // No fee goes to `miner`.
  paysFeeRecipient: false,
  // 0x1010 forwards the coin that it moves, and traces show that.
  nativeAliases: [
    eip7708,
    { address: "0x0000000000000000000000000000000000001010", logs: "repeats", decimals: 18 },
  ],
  withdrawals: "none",
  systemCredits: "state syncs bring coin and tokens from Ethereum",
  blockTimeMs: 2_000,
  finality: "milestones, a few seconds; `finalized` says so",
  // Reorgs of more than a hundred blocks have happened. The deepest known one had 157, in February
  // 2023.
  confirmations: depth(200),
  explorer: "https://polygonscan.com",
  unproved:
    "the state sync of a block before 80,084,800 is in no root: it is what the endpoint claims",
  forks: [],
  evidence: recorded("blocks 135,808 to 50,000,000; type 0x7f by maticnetwork/bor"),
};

export const polygonProfiles: readonly ChainProfile[] = [
  polygon,
  {
    ...polygon,
    chainId: 80_002,
    name: "Polygon Amoy",
    explorer: "https://amoy.polygonscan.com",
    evidence: documented("maticnetwork/bor; read as Polygon PoS is"),
  },
];
