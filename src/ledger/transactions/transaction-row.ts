import type { BlockHeader, Hash } from "../../domain/chain/block.ts";
import { derivedId } from "../../domain/derived-id.ts";
import type { MatchedBlock, MatchedTransaction } from "../../domain/money/matched-transaction.ts";

/** A transaction as the ledger has it, as far as balances and notifications need it. */
export type MovedRow = Omit<MatchedTransaction, Place | "proof"> & {
  id: string;
  chainName: string;
  blockNumber: bigint;
  round: number;
  /** Null: a release that kept no proof recorded it. */
  proof: MatchedTransaction["proof"] | null;
  /** True if one endpoint alone confirmed it. */
  confirmedAlone: boolean;
};

type Place = "identity" | "logIndex" | "tracePath" | "isUnproven";

/** A matched transaction in its block, to be written. */
export type TransactionRow = MovedRow &
  Pick<MatchedTransaction, Place | "proof"> & {
    blockHash: Hash;
    /** ISO 8601. */
    blockTime: string;
  };

/**
 * The facts of a chain that the id of a transaction is derived from, beside the transaction itself.
 */
export type IdSource = {
  name: string;
  genesisHash: Hash | null;
  /** The installation's, see domain/derived-id.ts. */
  idKey: string;
};

/**
 * The id of a transaction: of the block that it was first seen in, and of what it is. Another
 * reading of that block with the same database, or with a copy of it, finds the same id
 * (docs/decisions/0050-derived-ids.md).
 */
export function transactionId(
  { genesisHash, idKey }: IdSource,
  { number, timeMs }: Pick<BlockHeader, "number" | "timeMs">,
  { identity, ordinal }: Pick<MatchedTransaction, "identity" | "ordinal">,
): string {
  const place = { timeMs, ordinal: idOrdinal(number) + Math.min(ordinal, placesInBlock - 1) };
  return derivedId(place, idKey, ["transaction", genesisHash, identity]);
}

/**
 * Makes rows of the transactions in blocks. Each field is copied by name: spreading objects of this
 * size took longer than reading their blocks.
 */
export function toTransactionRows(
  chain: IdSource,
  blocks: readonly MatchedBlock[],
): TransactionRow[] {
  const chainName = chain.name;
  return blocks.flatMap(({ header, matched }) => {
    const blockTime = new Date(header.timeMs).toISOString();
    return matched.map((transaction) => ({
      id: transactionId(chain, header, transaction),
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
      memo: transaction.memo,
      virtualAddress: transaction.virtualAddress,
      round: 0,
      confirmedAlone: false,
    }));
  });
}

const placesInBlock = 2 ** 20;

/**
 * Id order is history order, also on chains with several blocks in one timestamp: the block's
 * number modulo 4096 above 2^20 places for what is in it.
 */
function idOrdinal(blockNumber: BlockHeader["number"]): number {
  return Number(blockNumber % 4096n) * placesInBlock;
}
