import type { Address } from "../chain/address.ts";
import type { Hash } from "../chain/block.ts";
import type { AssetAddress } from "../money/movement.ts";
import type { SealHead } from "./ledger-check.ts";

/** A block that is attested. `header` null: its hash cannot be rebuilt from it, so nothing is proved by it. */
export type AttestedBlock = {
  number: bigint;
  hash: Hash;
  timeMs: number;
  /** What keccak-256 makes the hash of, as 0x hex, and the root of the state in it. */
  header: { rlp: `0x${string}`; stateRoot: Hash } | null;
};

/** What the nodes of the state's trie say of an account (eth_getProof, EIP-1186), as 0x hex from the root down. */
export type AccountProof = {
  address: Address;
  nodes: readonly `0x${string}`[];
  coinAtomic: bigint;
};

/** How slots of balances are made, by what is hashed with the owner (see docs/evidence.md#attestations). */
export const layoutKinds = ["solidity", "vyper", "solady"] as const;

/** Where a token keeps the balances of its owners. */
export type TokenLayout = { kind: (typeof layoutKinds)[number]; place: `0x${string}` };

/** What the nodes of the state's trie say of a token, and those of its own trie of balances in it. */
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

/** One chain as it can be attested: by its block, and by what the endpoint proves of accounts in the state after it. */
export type EvidenceSource = {
  /** @throws Fault `rpc_unavailable`, `rpc_inconsistent` */
  readBlock: (number: bigint) => Promise<AttestedBlock>;
  /** Null where the endpoint offers no proof of that state, or one that does not hold. @throws Fault `rpc_unavailable` */
  proveAccount: (block: AttestedBlock, address: Address) => Promise<AccountProof | null>;
  /**
   * Null where the endpoint offers no proof of that state, or where the token keeps balances was not found out.
   * @throws Fault `rpc_unavailable`
   */
  proveToken: (
    block: AttestedBlock,
    token: Address,
    owners: readonly Address[],
  ) => Promise<TokenProof | null>;
  close: () => void;
};

/** What the ledger says of one wallet and asset at that block. */
export type StatedBalance = {
  businessId: string;
  walletId: string;
  address: Address;
  assetCode: string;
  assetAddress: AssetAddress;
  assetDecimals: number;
  amountAtomic: bigint;
};

/** What the ledger has to say of a chain at a block, in one snapshot. */
export type LedgerStatement = {
  chainName: string;
  evmChainId: bigint;
  /** As it is stored; null: only the number is. */
  hash: string | null;
  /** Where the journal ended then; null: it is empty. */
  head: SealHead | null;
  balances: StatedBalance[];
  /** Balances that the ledger cannot know at that block. */
  unknown: number;
};
