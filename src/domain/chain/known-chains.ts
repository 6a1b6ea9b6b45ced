import type { Address } from "./address.ts";
import type { BlockProof, ReceiptsProof } from "./block-proof.ts";
import type { ConfirmationPolicy } from "./confirmation.ts";

/**
 * A contract that shows the chain's own coin as a token. `repeats`: its Transfer logs tell again what transactions and
 * traces tell, and are passed over. `moves`: it moves the coin in a way that only its logs tell, and they count as the
 * coin's own transfers.
 */
export type NativeAlias = { address: Address; logs: "repeats" | "moves" };

/** What Chainbell knows of a chain by its EIP-155 id; the configuration may say otherwise. */
type ChainFacts = {
  /** Null: the operator must say it. */
  nativeCode: string | null;
  confirmations: ConfirmationPolicy;
  receipts: ReceiptsProof;
  /** Whether header and transactions are encoded as on Ethereum. Null: not known, so only asked for together with a receipts root. */
  encoding: { header: boolean | null; transactions: boolean | null };
  /** Whether the priority fees of a block go to its `miner` address. */
  paysFeeRecipient: boolean;
  nativeAliases: readonly NativeAlias[];
};

const depth = (blocks: number): ConfirmationPolicy => ({ kind: "depth", depth: blocks });

/** EIP-7708: where it is in force, each move of the coin also shows as a Transfer log of this address. */
const eip7708: NativeAlias = {
  address: "0xfffffffffffffffffffffffffffffffffffffffe",
  logs: "repeats",
};

const ethereum: ChainFacts = {
  nativeCode: "ETH",
  // The depth that has long been customary, two and a half minutes: no reorg since proof of stake came near it.
  confirmations: depth(12),
  receipts: "root",
  encoding: { header: true, transactions: true },
  paysFeeRecipient: true,
  nativeAliases: [eip7708],
};

const opStack: ChainFacts = {
  ...ethereum,
  // One sequencer orders the blocks and changes none unless it loses its latest ones: a minute outlives that. Who wants
  // to rest on Ethereum itself says `safe` or `finalized`.
  confirmations: depth(30),
  receipts: "root-op",
};

const chains: Record<number, ChainFacts> = {
  // Ethereum
  1: ethereum,
  // Optimism
  10: opStack,
  // BNB Smart Chain. Reorgs of a handful of blocks were common
  // before fast finality. Half a second a block: about a quarter of a minute. Fees go to a system contract.
  56: { ...ethereum, nativeCode: "BNB", confirmations: depth(30), paysFeeRecipient: false },
  // Gnosis: Ethereum's consensus with blocks of 5 seconds, so the same two minutes are more blocks.
  100: { ...ethereum, nativeCode: "XDAI", confirmations: depth(24) },
  // Polygon PoS. Reorgs of more than a hundred blocks have been seen; 157 in February 2023 is the deepest. State-sync
  // transactions were part of no root before block 80,084,800 and have an encoding of their own since, so
  // roots are not asked for. Fees go to no `miner`. 0x1010 forwards what it moves, and traces show that.
  137: {
    ...ethereum,
    nativeCode: "POL",
    confirmations: depth(200),
    receipts: "bloom",
    encoding: { header: true, transactions: false },
    paysFeeRecipient: false,
    nativeAliases: [
      eip7708,
      { address: "0x0000000000000000000000000000000000001010", logs: "repeats" },
    ],
  },
  // zkSync Era. Its bloom is empty and its blocks are hashed in its own way; the coin is the contract 0x800a, whose logs
  // repeat each move. The batch becomes final on Ethereum after hours; the sequencer's order holds meanwhile.
  324: {
    ...ethereum,
    confirmations: depth(60),
    receipts: "none",
    encoding: { header: false, transactions: false },
    paysFeeRecipient: false,
    nativeAliases: [
      eip7708,
      { address: "0x000000000000000000000000000000000000800a", logs: "repeats" },
    ],
  },
  // Base
  8453: opStack,
  // anvil and hardhat: nothing to wait for, but deep enough to see a transaction pending.
  31337: { ...ethereum, confirmations: depth(2) },
  // Arbitrum One. As on the OP stack, with four blocks a second. Some of its transaction types have encodings of their
  // own; fees do not go to the `miner`, which names who posts the batch.
  42161: {
    ...ethereum,
    confirmations: depth(240),
    encoding: { header: true, transactions: false },
    paysFeeRecipient: false,
  },
  // Celo. A transfer of the CELO token moves the coin by a precompile that no trace shows as a call with value.
  42220: {
    ...opStack,
    nativeCode: "CELO",
    // Fees may be paid in tokens (type 0x7b), which has an encoding of its own.
    encoding: { header: true, transactions: false },
    nativeAliases: [
      eip7708,
      { address: "0x471ece3750da237f93b8e339c536989b8978a438", logs: "moves" },
    ],
  },
  // Avalanche C-Chain. A block that is served has been accepted for good; a few blocks outlast an endpoint that lies
  // behind others. The header has fields of its own. Fees are burned.
  43114: {
    ...ethereum,
    nativeCode: "AVAX",
    confirmations: depth(3),
    encoding: { header: false, transactions: true },
    paysFeeRecipient: false,
  },
  // Base Sepolia: as Base, so that what works there works here.
  84532: opStack,
  // Sepolia: as Ethereum, so that what works there works here.
  11155111: ethereum,
};

/** Of a chain nobody has told us about only what every EVM chain is said to do is taken for granted. */
const unknownChain: ChainFacts = {
  ...ethereum,
  nativeCode: null,
  receipts: "bloom",
  encoding: { header: null, transactions: null },
};

export function factsOf(chainId: number): ChainFacts {
  return chains[chainId] ?? unknownChain;
}

/** What is asked of the blocks of a chain. `receipts` null: what the chain is known for. */
export function proofOf(chainId: number, receipts: ReceiptsProof | null): BlockProof {
  const facts = factsOf(chainId);
  const proof = receipts ?? facts.receipts;
  const isRoot = proof === "root" || proof === "root-op";
  return {
    // An operator who gives up the proof of a known chain may have met a fork that changed the header.
    header: proof === "none" ? false : (facts.encoding.header ?? isRoot),
    transactions: isRoot && (facts.encoding.transactions ?? false),
    receipts: proof,
  };
}
