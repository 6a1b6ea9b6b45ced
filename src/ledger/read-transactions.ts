import { type Page, type PageRequest, toPage } from "../domain/page.ts";
import type { RecordedTransaction, TransactionFilter } from "../domain/recorded-transaction.ts";
import type { Direction, TransactionStatus, TransactionType } from "../domain/transaction.ts";
import { type Database, reaching } from "./database.ts";
import { Prisma } from "./generated/client.ts";

export type TransactionRow = Omit<
  RecordedTransaction,
  "type" | "direction" | "status" | "amountAtomic"
> & {
  type: string;
  direction: string;
  status: string;
  amount: string;
};

/** Everything that is shown of a transaction; to be followed by WHERE. */
export const selectTransactions = Prisma.sql`
  SELECT t.id, t.type, t.direction, t.amount::text, a.code AS "assetCode", a.decimals AS "assetDecimals", t.status,
         t.orphaned AS "isOrphaned", t.wallet_id AS "walletId", t.chain_name AS "chainName", t.tx_hash AS "txHash",
         t.from_address AS "fromAddress", t.to_address AS "toAddress", t.block_number AS "blockNumber",
         t.block_hash AS "blockHash", t.block_time AS "blockTime", t.log_index AS "logIndex",
         t.trace_path AS "tracePath", w.reference, trim_scale(t.usd_value)::text AS "usdValue",
         c.position_number AS "positionNumber"
  FROM transaction t JOIN asset a ON a.id = t.asset_id JOIN wallet w ON w.id = t.wallet_id
  JOIN chain c ON c.name = t.chain_name`;

/** A business's transactions that match, newest first by id. */
export async function readTransactions(
  db: Database,
  asked: { businessId: string; filter: TransactionFilter; page: PageRequest },
): Promise<Page<RecordedTransaction>> {
  const { businessId, filter, page } = asked;
  const where = Prisma.join(conditionsOf(businessId, filter, page), " AND ");
  const rows = await reaching(
    () => db.$queryRaw<TransactionRow[]>`
      ${selectTransactions} WHERE ${where} ORDER BY t.id DESC LIMIT ${page.limit + 1}`,
  );
  return toPage(rows.map(toTransaction), page.limit);
}

function conditionsOf(
  businessId: string,
  filter: TransactionFilter,
  page: PageRequest,
): Prisma.Sql[] {
  const { types, assetCode, chainName, status, walletId, txHash, from, to } = filter;
  const all = [
    Prisma.sql`t.business_id = ${businessId}::uuid`,
    Prisma.sql`t.type = ANY(${[...types]}::text[])`,
    assetCode === undefined ? null : Prisma.sql`a.code = ${assetCode}`,
    chainName === undefined ? null : Prisma.sql`t.chain_name = ${chainName}`,
    status === undefined ? null : Prisma.sql`t.status = ${status}`,
    walletId === undefined ? null : Prisma.sql`t.wallet_id = ${walletId}::uuid`,
    txHash === undefined ? null : Prisma.sql`t.tx_hash = ${txHash}`,
    from === undefined ? null : Prisma.sql`t.block_time >= ${from}`,
    to === undefined ? null : Prisma.sql`t.block_time < ${to}`,
    page.afterId === null ? null : Prisma.sql`t.id < ${page.afterId}::uuid`,
  ];
  return all.filter((condition) => condition !== null);
}

export function toTransaction({ amount, ...row }: TransactionRow): RecordedTransaction {
  return {
    ...row,
    type: row.type as TransactionType,
    direction: row.direction as Direction,
    status: row.status as TransactionStatus,
    amountAtomic: BigInt(amount),
  };
}
