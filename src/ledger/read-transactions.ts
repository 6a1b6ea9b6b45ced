import { type Page, type PageRequest, toPage } from "../domain/page.ts";
import type { RecordedTransaction, TransactionFilter } from "../domain/recorded-transaction.ts";
import type { Direction, TransactionStatus, TransactionType } from "../domain/transaction.ts";
import { type Database, reaching } from "./database.ts";
import { Prisma } from "./generated/client.ts";
import { transactionBranches } from "./transaction-branches.ts";

export type TransactionRow = Omit<
  RecordedTransaction,
  "type" | "direction" | "status" | "amountAtomic"
> & {
  type: string;
  direction: string;
  status: string;
  amount: string;
};

/**
 * Everything that is shown of a transaction `t`. What lies in other tables is looked up row by row and not joined, so
 * that the rows stay in the order in which an index gives them.
 */
export const transactionColumns = Prisma.sql`
  t.id, t.type, t.direction, t.amount::text, t.status, t.orphaned AS "isOrphaned", t.wallet_id AS "walletId",
  t.chain_name AS "chainName", t.tx_hash AS "txHash", t.from_address AS "fromAddress", t.to_address AS "toAddress",
  t.block_number AS "blockNumber", t.block_hash AS "blockHash", t.block_time AS "blockTime",
  t.since_number AS "sinceNumber", t.log_index AS "logIndex", t.trace_path AS "tracePath", trim_scale(t.usd_value)::text AS "usdValue",
  (SELECT a.code FROM asset a WHERE a.id = t.asset_id) AS "assetCode",
  (SELECT a.decimals FROM asset a WHERE a.id = t.asset_id) AS "assetDecimals",
  (SELECT w.reference FROM wallet w WHERE w.id = t.wallet_id) AS reference,
  (SELECT c.position_number FROM chain c WHERE c.name = t.chain_name) AS "positionNumber"`;

export type TransactionsAsked = {
  businessId: string;
  filter: TransactionFilter;
  page: PageRequest;
};

/**
 * A business's transactions that match, newest first by id. Reads about as many index entries as it shows, at any
 * size of the table and for each filter alone: see transactionBranches.
 */
export async function readTransactions(
  db: Database,
  asked: TransactionsAsked,
): Promise<Page<RecordedTransaction>> {
  const { filter, page } = asked;
  return reaching(async () => {
    const assetIds = filter.assetCode === undefined ? null : await readAssetIds(db, filter);
    if (assetIds?.length === 0) return { rows: [], nextCursor: null };
    const rows = await db.$queryRaw<TransactionRow[]>(transactionPageSql(asked, assetIds));
    return toPage(rows.map(toTransaction), page.limit);
  });
}

/** One row more than the page: it says whether there is a next one. `assetIds` null: of every asset. */
export function transactionPageSql(
  asked: TransactionsAsked,
  assetIds: readonly number[] | null,
): Prisma.Sql {
  const first = Prisma.sql`ORDER BY t.id DESC NULLS LAST LIMIT ${asked.page.limit + 1}`;
  const branches = transactionBranches(asked, assetIds).map(
    (conditions) => Prisma.sql`(SELECT * FROM transaction t WHERE ${conditions} ${first})`,
  );
  return Prisma.sql`
    SELECT ${transactionColumns} FROM (${Prisma.join(branches, " UNION ALL ")}) t ${first}`;
}

/** The same code may be an asset of several chains. */
async function readAssetIds(db: Database, filter: TransactionFilter): Promise<number[]> {
  const { assetCode = "", chainName } = filter;
  const rows = await db.asset.findMany({
    where: { code: assetCode, ...(chainName === undefined ? {} : { chainName }) },
    select: { id: true },
    orderBy: { id: "asc" },
  });
  return rows.map((row) => row.id);
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
