import type { Address } from "../chain/address.ts";
import type { Hash } from "../chain/block.ts";
import type { PageRequest } from "../page.ts";
import type { MovementProof } from "./movement.ts";

/**
 * The most sightings of one wallet and day (UTC, by the time of the block). Anybody can send tokens
 * to anybody, and known addresses receive thousands a day. A customer asks about one of them. Fifty
 * are more than a person reads.
 */
export const mostSightingsOfDay = 50;

/**
 * The most sightings of one block: the first ones are kept. An airdrop sends a token to hundreds of
 * wallets at once. With so many, the commit that also writes deposits is not much slower.
 */
export const mostSightingsOfBlock = 200;

/** A sighting is kept for this many ms, longer than customers take to ask. */
export const sightingsKeptMs = 90 * 24 * 60 * 60_000;

/**
 * A transfer of a token that is not configured, to a watched wallet. It is not money: no balance
 * includes it. `amountAtomic` is what the token's contract says. Its decimals are unknown.
 */
export type MatchedSighting = {
  /** Made like that of a transaction, see transactionIdentity. */
  identity: string;
  businessId: string;
  walletId: string;
  contract: Address;
  fromAddress: Address;
  toAddress: Address;
  amountAtomic: bigint;
  txHash: Hash;
  logIndex: number;
  /** Its place among the block's transactions, in order of execution. */
  ordinal: number;
  proof: MovementProof;
};

/** The states of a sighting on the chain, and what each means. */
export const sightingStatuses = {
  pending: "its block is on the chain, not yet confirmed",
  confirmed: "its block is confirmed",
  dropped: "it has left the chain",
} as const;

type SightingStatus = keyof typeof sightingStatuses;

/** A stored sighting. */
export type Sighting = Omit<MatchedSighting, "identity" | "ordinal" | "contract"> & {
  id: string;
  chainName: string;
  contract: string;
  /**
   * The symbol that the contract gives itself, which anybody can choose. Null: it gives none, or
   * was not asked yet.
   */
  symbol: string | null;
  /** The present reference and label of its wallet. */
  reference: string | null;
  label: string | null;
  /** See ListedTransaction. */
  lookalikeOf: string | null;
  blockNumber: bigint;
  blockTime: Date;
  status: SightingStatus;
};

/** A sighting in a confirmed block whose contract was not asked yet. */
export type UnreportedSighting = { id: string; contract: Address };

/** A sighting, and the symbol that its contract gives. Null: it gives none. */
export type ReportedSighting = { id: string; symbol: string | null };

/** The wanted sightings. `contract` is in lower case. */
export type SightingFilter = {
  chainName?: string;
  walletId?: string;
  contract?: string;
  /** Complete, or shortened: see partsOfShortened. */
  txHash?: string;
  /** In a block of the time `from` or later, and before `to`. */
  from?: Date;
  to?: Date;
};

/** A page of a business's sightings, newest first by id. */
export type SightingsAsked = { businessId: string; filter: SightingFilter; page: PageRequest };
