import type { BlockHeader, Hash } from "../../domain/chain/block.ts";
import { derivedId } from "../../domain/derived-id.ts";
import type { MatchedBlock, MatchedTransaction } from "../../domain/money/matched-transaction.ts";

/** A stored transaction, with the fields that balances and notifications need. */
export type MovedRow = Omit<MatchedTransaction, Place | "proof"> & {
  id: string;
  chainName: string;
  blockNumber: bigint;
  round: number;
  /** Null: an older release recorded it, without its proof. */
  proof: MatchedTransaction["proof"] | null;
  /** True if only one endpoint confirmed it. */
  confirmedAlone: boolean;
};

type Place = "identity" | "logIndex" | "tracePath" | "isUnproven";

/** A matched transaction in its block, ready to be written. */
export type TransactionRow = MovedRow &
  Pick<MatchedTransaction, Place | "proof"> & {
    blockHash: Hash;
    /** ISO 8601. */
    blockTime: string;
  };

/** The facts of a chain from which transaction ids are derived, besides the transaction itself. */
export type IdSource = {
  name: string;
  genesisHash: Hash | null;
  /** The installation's key, see domain/derived-id.ts. */
  idKey: string;
};

/**
 * Derives a transaction's id from the block in which it was first seen, and from its identity.
 * Reading that block again gives the same id, with the same database or a copy of it
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
 * Makes rows of the transactions in blocks, each once (see onceEach). Written field by field:
 * spreading objects of this size took longer than reading their blocks.
 */
export function toTransactionRows(
  chain: IdSource,
  blocks: readonly MatchedBlock[],
): TransactionRow[] {
  const chainName = chain.name;
  const rows = blocks.flatMap(({ header, matched }) => {
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
  return onceEach(rows);
}

/**
 * Each row once. On some chains a transaction that failed comes again in a later block, under the
 * same hash (crypto-org-chain/cronos#466). Its row is then in the last of these blocks, and keeps
 * the id of the first. So it is as if the blocks had come one by one.
 */
export function onceEach<Row extends { id: string; identity: string }>(
  rows: readonly Row[],
): Row[] {
  const once = new Map<string, Row>();
  for (const row of rows) {
    const before = once.get(row.identity);
    if (before !== undefined) once.delete(row.identity);
    once.set(row.identity, before === undefined ? row : { ...row, id: before.id });
  }
  return [...once.values()];
}

const placesInBlock = 2 ** 20;

/**
 * Puts the block's number modulo 4096 above the 2^20 places within the block. So ids are in the
 * order of history, also if several blocks have the same time.
 */
function idOrdinal(blockNumber: BlockHeader["number"]): number {
  return Number(blockNumber % 4096n) * placesInBlock;
}
