import type { Address } from "../chain/address.ts";
import type { BlockHeader, Hash } from "../chain/block.ts";
import type { MovementProof, TransferTag } from "./movement.ts";
import type { MatchedSighting } from "./sighting.ts";
import type { Direction, TransactionType } from "./transaction.ts";

/** A movement in a block, as one watched wallet sees it. The ledger is asked to write it. */
export type MatchedTransaction = {
  identity: string;
  businessId: string;
  walletId: string;
  assetId: number;
  type: TransactionType;
  direction: Direction;
  amountAtomic: bigint;
  txHash: Hash;
  fromAddress: Address;
  toAddress: Address;
  /** Order of execution in the block. */
  ordinal: number;
  logIndex: number | null;
  tracePath: string | null;
  /**
   * True if the coin's movements of this wallet and block do not add up to its balance's change.
   * Also true if nobody has looked yet.
   */
  isUnproven: boolean;
  /** The proof that it happened. */
  proof: MovementProof;
} & TransferTag;

/**
 * The transactions that were found in one block. `sightings`: the tokens beside them that are not
 * configured; left out where nobody looked for any, or none was there.
 */
export type MatchedBlock = {
  header: BlockHeader;
  matched: MatchedTransaction[];
  sightings?: readonly MatchedSighting[];
};

/** The address of the wallet that the movement is matched to. */
export function walletOf({ direction, fromAddress, toAddress }: MatchedTransaction): Address {
  return direction === "in" ? toAddress : fromAddress;
}

/** True if it is a transfer inside a transaction that one endpoint's trace alone shows. */
export function isOnlyTraced({
  tracePath,
  proof,
}: Pick<MatchedTransaction, "tracePath" | "proof">): boolean {
  return tracePath !== null && proof === "answered";
}
