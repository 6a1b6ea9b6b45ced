import type { Address } from "../chain/address.ts";
import type { Hash } from "../chain/block.ts";
import type { PageRequest } from "../page.ts";
import type { MovementProof } from "./movement.ts";

/**
 * The most sightings that are kept of one wallet and day (UTC, by the time of the block). Anybody
 * may send tokens to anybody, and known addresses get thousands of such transfers a day. A customer
 * who sent the wrong token asks about one of them. Fifty are more than a person looks through.
 */
export const mostSightingsOfDay = 50;

/**
 * The most sightings that are kept of one block, the first ones. An airdrop sends a token to
 * hundreds of wallets at once. The commit that writes deposits writes so many beside them without
 * being slowed down much.
 */
export const mostSightingsOfBlock = 200;

/** The period (ms) for which a sighting is kept: longer than customers take to ask. */
export const sightingsKeptMs = 90 * 24 * 60 * 60_000;

/**
 * A transfer of a token that is not configured, to a watched wallet. It is money to nobody: no
 * balance has it. `amountAtomic` is what the token's contract says; nobody knows its decimals.
 */
export type MatchedSighting = {
  /** As of a transaction, see transactionIdentity. */
  identity: string;
  businessId: string;
  walletId: string;
  contract: Address;
  fromAddress: Address;
  toAddress: Address;
  amountAtomic: bigint;
  txHash: Hash;
  logIndex: number;
  /** Order of execution in the block. */
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

/** A sighting as the ledger has it. */
export type Sighting = Omit<MatchedSighting, "identity" | "ordinal" | "contract"> & {
  id: string;
  chainName: string;
  contract: string;
  /**
   * The symbol that the contract says. Anybody may choose it. Null: it says none, or was not asked
   * yet.
   */
  symbol: string | null;
  /** See ListedTransaction. */
  lookalikeOf: string | null;
  blockNumber: bigint;
  blockTime: Date;
  status: SightingStatus;
};

/** A sighting in a confirmed block whose contract is not asked yet. */
export type UnreportedSighting = { id: string; contract: Address };

/** A sighting, and the symbol that its contract says. Null: it says none. */
export type ReportedSighting = { id: string; symbol: string | null };

/** The sightings that are asked for. `contract` is lower-case. */
export type SightingFilter = {
  chainName?: string;
  walletId?: string;
  contract?: string;
  /** Whole, or shortened: see partsOfShortened. */
  txHash?: string;
};

/** A page of a business's sightings, newest first by id. */
export type SightingsAsked = { businessId: string; filter: SightingFilter; page: PageRequest };
