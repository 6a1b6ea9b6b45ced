import {
  type ChainProfile,
  depth,
  documented,
  eip7708,
  eip7708SinceAmsterdam,
  identity,
  recorded,
} from "../profile.ts";

const glamsterdam = "Amsterdam (Glamsterdam)";

/** The profile that every other profile begins with. */
export const ethereum: ChainProfile = {
  ...identity(1, "Ethereum", "Ethereum", "ETH"),
  header: "ethereum",
  hasTransactionsRoot: true,
  looseTypes: [],
  outsideRoots: null,
  receipts: "root",
  rootsSince: 0n,
  hasLogGaps: false,
  keepsFailedLogs: false,
  mayHaveDataFeeInGas: false,
  paysFeeRecipient: true,
  nativeAliases: [eip7708],
  withdrawals: "native",
  atomicCoin: null,
  systemCredits: null,
  traces: "geth",
  blockTimeMs: 12_000,
  finality: "two epochs, about 13 minutes; `finalized` says so",
  // The usual depth: two and a half minutes. No reorg since proof of stake came near it.
  confirmations: depth(12),
  explorer: "https://etherscan.io",
  unproved: null,
  forks: [{ name: glamsterdam, atSeconds: null, isRead: true }],
  evidence: recorded("blocks from 1 to 24,476,009 rebuilt; EIP-7928 and EIP-7843 for Amsterdam"),
};

/** Ethereum with its own aliases, which profiles that extend `ethereum` do not share. */
const mainnet: ChainProfile = { ...ethereum, nativeAliases: [eip7708SinceAmsterdam] };

export const ethereumProfiles: readonly ChainProfile[] = [
  mainnet,
  {
    ...mainnet,
    chainId: 11_155_111,
    name: "Sepolia",
    explorer: "https://sepolia.etherscan.io",
    forks: [{ name: glamsterdam, atSeconds: 1_791_294_816, isRead: true }],
    evidence: recorded(
      "blocks 7,265,502 and 11,856,337, the first of Amsterdam (ethereum/pm#2205)",
    ),
  },
  {
    ...mainnet,
    chainId: 560_048,
    name: "Hoodi",
    explorer: "https://hoodi.etherscan.io",
    evidence: recorded("header of block 411,443"),
  },
  {
    ...ethereum,
    chainId: 31_337,
    name: "Anvil and Hardhat",
    family: "development",
    blockTimeMs: 1_000,
    finality: "none: it is a development chain",
    // Nothing must be waited for, but at this depth a transaction is pending for a while.
    confirmations: depth(2),
    explorer: null,
    forks: [],
    evidence: documented("its blocks are those of the tests of this project"),
  },
];
