import { assumed, type ChainProfile, depth, documented, recorded } from "../profile.ts";
import { txTypes } from "../tx-types.ts";
import { ethereum } from "./ethereum.ts";

/**
 * Matter Labs' software. Its block hashes are of its own form, and there are no roots and no bloom.
 */
const zksync: ChainProfile = {
  ...ethereum,
  chainId: 324,
  name: "zkSync Era",
  family: "ZK stack",
  header: "own",
  hasTransactionsRoot: false,
  looseTypes: [txTypes.zksync, txTypes.zksyncPriority],
  receipts: "none",
  keepsFailedLogs: true,
  paysFeeRecipient: false,
  // The coin is the contract 0x800a, which logs every move, including fees and their refunds.
  nativeAliases: [
    { address: "0x000000000000000000000000000000000000800a", logs: "all", decimals: 18 },
  ],
  withdrawals: "none",
  traces: "zksync",
  blockTimeMs: 1_000,
  finality: "when Ethereum has executed the batch, hours; `finalized` says so",
  // Until then the sequencer's order holds.
  confirmations: depth(60),
  explorer: "https://explorer.zksync.io",
  unproved: "nothing of a block is proved: a second endpoint that agrees is all there is",
  forks: [],
  evidence: recorded("block 35,533 and its receipt"),
};

/** A rollup with Ethereum's headers and roots, whose batches are proved on Ethereum. */
const likeEthereum: ChainProfile = {
  ...ethereum,
  paysFeeRecipient: false,
  withdrawals: "none",
  finality: "when Ethereum has finalized the batch; `finalized` says so",
  forks: [],
};

export const rollupProfiles: readonly ChainProfile[] = [
  zksync,
  {
    ...zksync,
    chainId: 300,
    name: "zkSync Sepolia",
    explorer: "https://sepolia.explorer.zksync.io",
    evidence: documented("matter-labs/zksync-era; read as zkSync Era is"),
  },
  {
    ...zksync,
    chainId: 2_741,
    name: "Abstract",
    explorer: "https://abscan.org",
    evidence: documented("docs.abs.xyz: the ZK stack; read as zkSync Era is"),
  },
  {
    ...likeEthereum,
    chainId: 59_144,
    name: "Linea",
    family: "Linea",
    blockTimeMs: 2_000,
    confirmations: depth(30),
    explorer: "https://lineascan.build",
    evidence: assumed("docs.linea.build: Besu with Ethereum's headers; no block was seen"),
  },
  {
    ...likeEthereum,
    chainId: 534_352,
    name: "Scroll",
    family: "Scroll",
    // Messages of the parent chain.
    looseTypes: [txTypes.deposit],
    blockTimeMs: 1_000,
    confirmations: depth(60),
    explorer: "https://scrollscan.com",
    evidence: assumed("docs.scroll.io: l2geth, type 0x7e is a message of the parent chain"),
  },
  {
    ...likeEthereum,
    chainId: 167_000,
    name: "Taiko",
    family: "Taiko",
    paysFeeRecipient: true,
    blockTimeMs: 2_000,
    confirmations: depth(30),
    explorer: "https://taikoscan.io",
    evidence: assumed("docs.taiko.xyz: Ethereum's client with an anchor transaction first"),
  },
];
