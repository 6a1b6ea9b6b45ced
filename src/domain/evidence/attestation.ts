import type { Address } from "../chain/address.ts";
import type { Hash } from "../chain/block.ts";
import type { AssetAddress } from "../money/movement.ts";
import type { SealHead } from "./ledger-check.ts";

/**
 * A block of an attestation. `header` null: the hash cannot be rebuilt from the header, so the
 * block proves nothing.
 */
export type AttestedBlock = {
  number: bigint;
  hash: Hash;
  timeMs: number;
  /**
   * The header's bytes as 0x hex, whose keccak-256 is the hash, and the state root in the header.
   */
  header: { rlp: `0x${string}`; stateRoot: Hash } | null;
};

/**
 * The proof of an account by nodes of the state trie (eth_getProof, EIP-1186). The nodes are 0x
 * hex, root first.
 */
export type AccountProof = {
  address: Address;
  nodes: readonly `0x${string}`[];
  coinAtomic: bigint;
};

/**
 * The way in which a token computes the slots of balances, by what it hashes with the owner (see
 * docs/evidence.md#attestations).
 */
export const layoutKinds = ["solidity", "vyper", "solady"] as const;

/** Where a token stores the balances of its owners. */
export type TokenLayout = { kind: (typeof layoutKinds)[number]; place: `0x${string}` };

/**
 * The proof of a token by nodes of the state trie. Nodes of the token's own trie prove its
 * balances.
 */
export type TokenProof = {
  token: Address;
  layout: TokenLayout;
  nodes: readonly `0x${string}`[];
  slots: readonly {
    owner: Address;
    slot: Hash;
    nodes: readonly `0x${string}`[];
    amountAtomic: bigint;
  }[];
};

/** One chain for an attestation: its blocks, and an endpoint's proofs of accounts after a block. */
export type EvidenceSource = {
  /** @throws Fault `rpc_unavailable`, `rpc_inconsistent` */
  readBlock: (number: bigint) => Promise<AttestedBlock>;
  /**
   * Null: the endpoint offers no proof of that state, or its proof does not hold.
   * @throws Fault `rpc_unavailable`
   */
  proveAccount: (block: AttestedBlock, address: Address) => Promise<AccountProof | null>;
  /**
   * Null: the endpoint offers no proof of that state, or the token's layout was not found.
   * @throws Fault `rpc_unavailable`
   */
  proveToken: (
    block: AttestedBlock,
    token: Address,
    owners: readonly Address[],
  ) => Promise<TokenProof | null>;
  close: () => void;
};

/** The ledger's balance of one wallet and asset at that block. */
export type StatedBalance = {
  businessId: string;
  walletId: string;
  address: Address;
  assetCode: string;
  assetAddress: AssetAddress;
  assetDecimals: number;
  amountAtomic: bigint;
};

/** The ledger's statement about a chain at a block, from one snapshot. */
export type LedgerStatement = {
  chainName: string;
  evmChainId: bigint;
  /** The stored hash; null: only the number is stored. */
  hash: string | null;
  /** The end of the journal at that time; null: the journal is empty. */
  head: SealHead | null;
  balances: StatedBalance[];
  /** The number of balances that the ledger cannot know at that block. */
  unknown: number;
};
