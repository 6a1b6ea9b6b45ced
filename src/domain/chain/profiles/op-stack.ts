import {
  age,
  assumed,
  type ChainProfile,
  depth,
  documented,
  eip7708,
  minute,
  recorded,
} from "../profile.ts";
import { txTypes } from "../tx-types.ts";
import { ethereum } from "./ethereum.ts";

/**
 * Optimism's software. Deposits (0x7e) come from the parent chain. A transaction pays gas, the
 * parent chain's data and, since Isthmus, an operator fee.
 */
const opStack: ChainProfile = {
  ...ethereum,
  chainId: 10,
  name: "OP Mainnet",
  family: "OP stack",
  receipts: "root-op",
  withdrawals: "none",
  blockTimeMs: 2_000,
  finality: "when Ethereum has finalized the batch, about 20 minutes; `finalized` says so",
  // One sequencer orders the blocks. It changes a block only if it loses its latest ones, and a
  // minute is longer than that. An operator who prefers Ethereum's own finality sets `safe` or
  // `finalized`.
  confirmations: depth(30),
  explorer: "https://optimistic.etherscan.io",
  forks: [],
  evidence: recorded("block 154,497,277 and seven of before Bedrock"),
};

const base: ChainProfile = {
  ...opStack,
  chainId: 8_453,
  name: "Base",
  // EIP-8130 comes with Zenith. It is encoded as the EIP of 2026-08-22 says. No block with such a
  // transaction was recorded.
  looseTypes: [txTypes.accountAbstraction],
  // Denim (2026-11-05): a block every 200 ms. The age is one minute, as on other chains of the
  // stack.
  blockTimeMs: 200,
  confirmations: age(minute),
  explorer: "https://basescan.org",
  forks: [
    // 2026-09-30 18:00 UTC.
    { name: "Cobalt", atSeconds: 1_790_791_200, isRead: true },
    // 2026-11-05, at an unknown hour. Headers stay the same, so traces are read.
    { name: "Denim", atSeconds: 1_793_836_800, isRead: true },
    { name: "Zenith (EIP-8130)", atSeconds: null, isRead: true },
  ],
  evidence: documented(
    "base/base#5197 (Cobalt), #4988 and #5003 (Denim: 200 ms, the rules of Amsterdam), docs.base.org (its date), #4924 (Zenith: EIP-8130); read as Base Sepolia is",
  ),
};

const celo: ChainProfile = {
  ...opStack,
  chainId: 42_220,
  name: "Celo",
  coin: { code: "CELO" },
  // A transfer of the CELO token moves the coin by a precompile. No trace shows that as a call with
  // value.
  nativeAliases: [
    eip7708,
    { address: "0x471ece3750da237f93b8e339c536989b8978a438", logs: "moves", decimals: 18 },
  ],
  explorer: "https://celoscan.io",
  blockTimeMs: 1_000,
  confirmations: depth(60),
  looseTypes: [txTypes.celo],
  keepsFailedLogs: true,
  // Priority fees may be paid in tokens, and the base fee goes to a contract.
  paysFeeRecipient: false,
  unproved: "a fee in a token that does not log it is reckoned from the receipt",
  evidence: documented(
    "CIP-64, CIP-66, celo-org/op-geth, celo-org/celo-kona (the logs of fees); Mento, Circle, Tether",
  ),
};

const mantle: ChainProfile = {
  ...opStack,
  chainId: 5_000,
  name: "Mantle",
  explorer: "https://mantlescan.xyz",
  coin: { code: "MNT" },
  // Arsia (2026) brought the fees of Jovian. Before it the gas paid for data too.
  mayHaveDataFeeInGas: true,
  systemCredits: "a deposit may credit the ETH token in its storage, without a log",
  evidence: documented(
    "mantle-xyz/op-geth v1.6.1: deposits have ethValue and ethTxValue; mantlenetworkio/op-geth 014494e: gas before Arsia",
  ),
};

export const opStackProfiles: readonly ChainProfile[] = [
  opStack,
  {
    ...opStack,
    chainId: 11_155_420,
    name: "OP Sepolia",
    explorer: "https://sepolia-optimism.etherscan.io",
    evidence: documented("ethereum-optimism/superchain-registry; read as OP Mainnet is"),
  },
  base,
  {
    ...base,
    chainId: 84_532,
    name: "Base Sepolia",
    explorer: "https://sepolia.basescan.org",
    evidence: recorded("block 42,348,318: every balance of its 14 transactions to the wei"),
  },
  {
    ...opStack,
    chainId: 130,
    name: "Unichain",
    blockTimeMs: 1_000,
    confirmations: depth(60),
    explorer: "https://uniscan.xyz",
    evidence: documented("ethereum-optimism/superchain-registry; docs.unichain.org"),
  },
  {
    ...opStack,
    chainId: 1_301,
    name: "Unichain Sepolia",
    blockTimeMs: 1_000,
    confirmations: depth(60),
    explorer: "https://sepolia.uniscan.xyz",
    evidence: documented("ethereum-optimism/superchain-registry; docs.unichain.org"),
  },
  {
    ...opStack,
    chainId: 480,
    name: "World Chain",
    explorer: "https://worldscan.org",
    evidence: documented("ethereum-optimism/superchain-registry; worldcoin/world-chain"),
  },
  {
    ...opStack,
    chainId: 4_801,
    name: "World Chain Sepolia",
    explorer: "https://sepolia.worldscan.org",
    evidence: documented("ethereum-optimism/superchain-registry; worldcoin/world-chain"),
  },
  {
    ...opStack,
    chainId: 57_073,
    name: "Ink",
    blockTimeMs: 1_000,
    confirmations: depth(60),
    explorer: "https://explorer.inkonchain.com",
    evidence: documented("ethereum-optimism/superchain-registry; docs.inkonchain.com"),
  },
  {
    ...opStack,
    chainId: 763_373,
    name: "Ink Sepolia",
    blockTimeMs: 1_000,
    confirmations: depth(60),
    explorer: "https://explorer-sepolia.inkonchain.com",
    evidence: documented("ethereum-optimism/superchain-registry; docs.inkonchain.com"),
  },
  {
    ...opStack,
    chainId: 1_868,
    name: "Soneium",
    explorer: "https://soneium.blockscout.com",
    evidence: documented("ethereum-optimism/superchain-registry; docs.soneium.org"),
  },
  {
    ...opStack,
    chainId: 1_946,
    name: "Soneium Minato",
    explorer: "https://soneium-minato.blockscout.com",
    evidence: documented("ethereum-optimism/superchain-registry; docs.soneium.org"),
  },
  {
    ...opStack,
    chainId: 7_777_777,
    name: "Zora",
    explorer: "https://explorer.zora.energy",
    evidence: recorded("block 49,513,698 without its receipts"),
  },
  {
    ...opStack,
    chainId: 999_999_999,
    name: "Zora Sepolia",
    explorer: "https://sepolia.explorer.zora.energy",
    evidence: documented("ethereum-optimism/superchain-registry; docs.zora.co"),
  },
  {
    ...opStack,
    chainId: 81_457,
    name: "Blast",
    systemCredits: "balances grow by themselves (yield) in accounts that have asked for it",
    explorer: "https://blastscan.io",
    unproved: "yield shows in no block: only comparing balances finds it",
    evidence: documented("docs.blast.io (yield), blast-io/blast"),
  },
  {
    ...opStack,
    chainId: 168_587_773,
    name: "Blast Sepolia",
    systemCredits: "balances grow by themselves (yield) in accounts that have asked for it",
    explorer: "https://sepolia.blastscan.io",
    unproved: "yield shows in no block: only comparing balances finds it",
    evidence: documented("docs.blast.io (yield), blast-io/blast"),
  },
  mantle,
  {
    ...mantle,
    chainId: 5_003,
    name: "Mantle Sepolia",
    explorer: "https://sepolia.mantlescan.xyz",
  },
  celo,
  {
    ...celo,
    chainId: 11_142_220,
    name: "Celo Sepolia",
    // The CELO token's address there is unknown. Comparing balances finds what the token moves.
    nativeAliases: [eip7708],
    explorer: "https://celo-sepolia.blockscout.com",
    evidence: documented("read as Celo is; the token's address was not found"),
  },
  {
    ...opStack,
    chainId: 747_474,
    name: "Katana",
    blockTimeMs: 1_000,
    confirmations: depth(60),
    explorer: "https://katanascan.com",
    evidence: assumed("katana.network; the OP stack's execution client"),
  },
  {
    ...opStack,
    chainId: 2_020,
    name: "Ronin",
    coin: { code: "RON" },
    blockTimeMs: 3_000,
    confirmations: depth(20),
    explorer: "https://app.roninchain.com",
    evidence: assumed("on the OP stack since 2026-05-12, by the press; no block was seen"),
  },
  {
    ...opStack,
    chainId: 196,
    name: "X Layer",
    coin: { code: "OKB" },
    looseTypes: [txTypes.accountAbstraction, txTypes.celo],
    blockTimeMs: 1_000,
    confirmations: depth(60),
    explorer: "https://www.oklink.com/xlayer",
    evidence: assumed(
      "okx/xlayer-reth: the OP stack with account abstraction as type 0x7b, which is not Celo's",
    ),
  },
  {
    ...opStack,
    chainId: 204,
    name: "opBNB",
    coin: { code: "BNB" },
    blockTimeMs: 250,
    confirmations: age(minute),
    explorer: "https://opbnbscan.com",
    evidence: documented("bnb-chain/op-geth, docs.bnbchain.org"),
  },
];
