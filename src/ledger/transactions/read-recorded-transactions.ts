import type { MovementProof } from "../../domain/money/movement.ts";
import type {
  ListedTransaction,
  RecordedTransaction,
  TransactionsAsked,
} from "../../domain/money/recorded-transaction.ts";
import type { Direction } from "../../domain/money/transaction.ts";
import { type Page, toPage } from "../../domain/page.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { isHash } from "../postgres/shortened-hash.ts";
import {
  type ListedRow,
  listedColumns,
  readPage,
  sortedBy,
  toListed,
} from "./read-transactions.ts";
import { onChainStatuses } from "./transaction-words.ts";

type OwnFields = Omit<RecordedTransaction, keyof ListedTransaction | "direction" | "proof" | "fee">;

export type FeeRow = {
  feeAmount: string | null;
  feeAssetCode: string | null;
  feeAssetDecimals: number | null;
};

export type RecordedRow = ListedRow &
  OwnFields &
  FeeRow & { direction: string; proof: string | null };

/** The value of a transaction `t` in US dollars, and the fee that `recorded.join` looked up. */
export const moneyColumns = Prisma.sql`trim_scale(t.usd_value)::text AS "usdValue",
    fee.amount AS "feeAmount", fee.code AS "feeAssetCode", fee.decimals AS "feeAssetDecimals"`;

/**
 * The columns of a transaction `t` with all its fields. `join` looks up the fee that the wallet
 * paid, row by row, and only for outgoing money. If the transaction was included again, it is the
 * fee that was paid last.
 */
export const recorded = {
  columns: Prisma.sql`${listedColumns},
    t.direction, t.block_hash AS "blockHash", t.since_number AS "sinceNumber", t.confirmed_alone AS "isConfirmedAlone",
    t.log_index AS "logIndex", t.trace_path AS "tracePath", t.proof,
    t.created_at AS "seenAt", t.completed_at AS "completedAt",
    (SELECT w.label FROM wallet w WHERE w.id = t.wallet_id) AS label,
    (SELECT w.reference FROM wallet w WHERE w.id = t.wallet_id) AS reference,
    ${moneyColumns}`,
  join: Prisma.sql`LEFT JOIN LATERAL (
      SELECT f.amount::text, a.code, a.decimals FROM transaction f JOIN asset a ON a.id = f.asset_id
      WHERE t.direction = 'out' AND ${isHash(Prisma.sql`f.tx_hash`, Prisma.sql`t.tx_hash`)} AND f.business_id = t.business_id
        AND f.wallet_id = t.wallet_id AND f.chain_name = t.chain_name AND f.type = 'fee'
      ORDER BY f.status IN (${onChainStatuses}) DESC, f.id DESC LIMIT 1
    ) fee ON true`,
};

/**
 * As readTransactions, with all fields of each transaction. It costs one more look-up for each
 * outgoing transaction.
 * @throws Fault `invalid_request` if the ledger knows no such asset
 */
export async function readRecordedTransactions(
  db: Database,
  asked: TransactionsAsked,
): Promise<Page<RecordedTransaction>> {
  const rows = await readPage<RecordedRow>(db, asked, recorded);
  return toPage(rows.map(toRecorded), asked.page.limit, sortedBy(asked));
}

export function toRecorded(row: RecordedRow): RecordedTransaction {
  // See presentRecorded.
  return Object.assign(toListed(row), {
    direction: row.direction as Direction,
    blockHash: row.blockHash,
    logIndex: row.logIndex,
    tracePath: row.tracePath,
    proof: row.proof as MovementProof | null,
    sinceNumber: row.sinceNumber,
    isConfirmedAlone: row.isConfirmedAlone,
    label: row.label,
    reference: row.reference,
    usdValue: row.usdValue,
    seenAt: row.seenAt,
    completedAt: row.completedAt,
    fee: feeOf(row),
  });
}

export function feeOf(row: FeeRow): RecordedTransaction["fee"] {
  const { feeAmount, feeAssetCode: assetCode, feeAssetDecimals: assetDecimals } = row;
  if (feeAmount === null || assetCode === null || assetDecimals === null) return null;
  return { amountAtomic: BigInt(feeAmount), assetCode, assetDecimals };
}
