import type { Address } from "../chain/address.ts";
import type { BlockHeader, Hash } from "../chain/block.ts";
import type { MovementProof, TransferTag } from "./movement.ts";
import type { MatchedSighting } from "./sighting.ts";
import type { Direction, TransactionType } from "./transaction.ts";

/** A movement in a block, from the view of one watched wallet, for the ledger to write. */
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
  /** Its place in the block, in order of execution. */
  ordinal: number;
  logIndex: number | null;
  tracePath: string | null;
  /**
   * True if the coin's movements of this wallet and block do not explain its balance's change. Also
   * true if that was not checked yet.
   */
  isUnproven: boolean;
  /** The proof that it happened. */
  proof: MovementProof;
} & TransferTag;

/**
 * The transactions that were found in one block. `sightings`: transfers of tokens that are not
 * configured; left out if nobody looked for any, or none was found. `byBalance`: what only balances
 * can decide; left out if there is nothing of it.
 */
export type MatchedBlock = {
  header: BlockHeader;
  matched: MatchedTransaction[];
  sightings?: readonly MatchedSighting[];
  byBalance?: DecidedByBalance;
};

/**
 * Movements of a block whose logs do not say how much moved. A balance decides, if it is shown. If
 * it is not, what it has shown before still counts (docs/invariants.md#how-money-moves).
 */
export type DecidedByBalance = {
  /** The identities of transfers that brought nothing. They are no transactions. */
  empty: readonly string[];
  /** The identities of transactions that count as logged, because no balance is shown. */
  unmeasured: readonly string[];
  /** Echoes that are no transactions, because no balance is shown. */
  echoes: readonly MatchedTransaction[];
};

/** The address of the wallet to which the movement belongs. */
export function walletOf({ direction, fromAddress, toAddress }: MatchedTransaction): Address {
  return direction === "in" ? toAddress : fromAddress;
}

/** True if it is an internal transfer that only one endpoint's trace shows. */
export function isOnlyTraced({
  tracePath,
  proof,
}: Pick<MatchedTransaction, "tracePath" | "proof">): boolean {
  return tracePath !== null && proof === "answered";
}
