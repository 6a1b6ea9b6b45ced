import type { Address } from "../chain/address.ts";
import type { BlockHeader, Hash } from "../chain/block.ts";
import type { MovementProof, TransferTag } from "./movement.ts";
import type { Direction, TransactionType } from "./transaction.ts";

/** A movement in a block, seen from one watched wallet: what the ledger is asked to write. */
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
  /** The coin's movements of this wallet and block do not add up to its balance's change, or nobody has looked yet. */
  isUnproven: boolean;
  /** What shows that it happened. */
  proof: MovementProof;
} & TransferTag;

/** What was found in one block. */
export type MatchedBlock = { header: BlockHeader; matched: MatchedTransaction[] };

/** The address of the wallet whose side of the movement it is. */
export function walletOf({ direction, fromAddress, toAddress }: MatchedTransaction): Address {
  return direction === "in" ? toAddress : fromAddress;
}

/** Whether it is a transfer inside of a transaction, of which one endpoint's trace is all that shows it. */
export function isOnlyTraced({
  tracePath,
  proof,
}: Pick<MatchedTransaction, "tracePath" | "proof">): boolean {
  return tracePath !== null && proof === "answered";
}
