import type { BlockHeader, Hash } from "../../domain/chain/block.ts";
import { idAt } from "../../domain/id.ts";
import type { MatchedBlock, MatchedTransaction } from "../../domain/money/matched-transaction.ts";

/** A transaction as the ledger has it, as far as balances and notifications need it. */
export type MovedRow = Omit<MatchedTransaction, PlaceAndProof> & {
  id: string;
  chainName: string;
  blockNumber: bigint;
  round: number;
};

type PlaceAndProof = "identity" | "logIndex" | "tracePath" | "isUnproven" | "proof";

/** A matched transaction in its block, to be written. */
export type TransactionRow = MovedRow &
  Pick<MatchedTransaction, PlaceAndProof> & {
    blockHash: Hash;
    /** ISO 8601. */
    blockTime: string;
  };

/**
 * What blocks hold as rows that are new. Field by field: spreading objects of this size took longer than reading their
 * blocks.
 */
export function toTransactionRows(
  chainName: string,
  blocks: readonly MatchedBlock[],
): TransactionRow[] {
  return blocks.flatMap(({ header, matched }) => {
    const idBase = idOrdinal(header.number);
    const blockTime = new Date(header.timeMs).toISOString();
    return matched.map((transaction) => ({
      id: idAt(header.timeMs, idBase + Math.min(transaction.ordinal, placesInBlock - 1)),
      identity: transaction.identity,
      chainName,
      businessId: transaction.businessId,
      walletId: transaction.walletId,
      assetId: transaction.assetId,
      type: transaction.type,
      direction: transaction.direction,
      amountAtomic: transaction.amountAtomic,
      txHash: transaction.txHash,
      fromAddress: transaction.fromAddress,
      toAddress: transaction.toAddress,
      blockNumber: header.number,
      blockHash: header.hash,
      blockTime,
      ordinal: transaction.ordinal,
      logIndex: transaction.logIndex,
      tracePath: transaction.tracePath,
      isUnproven: transaction.isUnproven,
      proof: transaction.proof,
      round: 0,
    }));
  });
}

const placesInBlock = 2 ** 20;

/**
 * Id order is history order, also on chains with several blocks in one timestamp: the block's number modulo 4096
 * above 2^20 places for what is in it.
 */
function idOrdinal(blockNumber: BlockHeader["number"]): number {
  return Number(blockNumber % 4096n) * placesInBlock;
}
