import { partsOfShortened } from "../../domain/chain/shortened-hash.ts";
import type { Fault } from "../../domain/fault.ts";
import { nilId } from "../../domain/id.ts";
import type {
  ListedTransaction,
  TransactionFilter,
  TransactionsAsked,
} from "../../domain/money/recorded-transaction.ts";
import type { TransactionStatus, TransactionType } from "../../domain/money/transaction.ts";
import { defaultPageSize, type Page, toPage } from "../../domain/page.ts";
import { invalidField } from "../../domain/text.ts";
import { Prisma } from "../generated/client.ts";
import { asSearch } from "../postgres/as-search.ts";
import type { Database } from "../postgres/database.ts";
import { prepared } from "../postgres/statement.ts";
import { readRows } from "../postgres/statements.ts";
import { lookalikeOf } from "./lookalike.ts";
import { readNamedWallets } from "./named-wallets.ts";
import { amountOf, pageByAmount, type Shown, type SortedAsset } from "./page-by-amount.ts";
import { type Named, transactionBranches } from "./transaction-branches.ts";

export type ListedRow = Omit<ListedTransaction, "type" | "status" | "amountAtomic"> & {
  type: string;
  status: string;
  amount: string;
};

/**
 * The columns of a transaction `t` in a list. Columns of other tables are looked up row by row, not
 * joined. So the rows keep the order of the index.
 */
export const listedColumns = Prisma.sql`
  t.id, t.type, t.amount::text, t.status, t.orphaned AS "isOrphaned", t.wallet_id AS "walletId",
  t.chain_name AS "chainName", t.tx_hash AS "txHash", t.from_address AS "fromAddress", t.to_address AS "toAddress",
  t.block_number AS "blockNumber", t.block_time AS "blockTime", t.memo, t.virtual_address AS "virtualAddress",
  CASE WHEN t.direction = 'in' THEN ${lookalikeOf("t")} END AS "lookalikeOf",
  (SELECT a.code FROM asset a WHERE a.id = t.asset_id) AS "assetCode",
  (SELECT a.decimals FROM asset a WHERE a.id = t.asset_id) AS "assetDecimals",
  (SELECT c.position_number FROM chain c WHERE c.name = t.chain_name) AS "positionNumber"`;

/**
 * A business's matching transactions, newest first by id, or largest first. With one filter it
 * reads about as many index entries as it shows, whatever the table's size (see
 * transactionBranches). With a shortened hash it reads every hash with that beginning.
 * @throws Fault `invalid_request` if the ledger knows no such asset
 */
export async function readTransactions(
  db: Database,
  asked: TransactionsAsked,
): Promise<Page<ListedTransaction>> {
  const rows = await readPage<ListedRow>(db, asked);
  return toPage(rows.map(toListed), asked.page.limit, sortedBy(asked));
}

/** A part of the cursors of a list, beside the id. */
export function sortedBy({ filter }: TransactionsAsked): typeof amountOf | undefined {
  return filter.sort === "amount" ? amountOf : undefined;
}

/**
 * The rows of a page. A filter by a wallet's name is read as a search.
 * @throws Fault `invalid_request` if the ledger knows no such asset or cursor, or if the text
 *   matches too much
 */
export async function readPage<Row>(
  db: Database,
  asked: TransactionsAsked,
  shown: Shown = { columns: listedColumns, join: Prisma.empty },
): Promise<Row[]> {
  const { businessId, filter } = asked;
  const { assetCode, named, chainName } = filter;
  const assets =
    assetCode === undefined ? null : await requireAssets(db, filter, { isAnyCase: true });
  const pageSql =
    filter.sort === "amount"
      ? pageByAmount(asked, { assets, shown })
      : (walletIds: Named["walletIds"]) =>
          transactionPageSql(
            asked,
            { assetIds: assets?.map(({ id }) => id) ?? null, walletIds },
            shown,
          );
  if (named === undefined) return readRows<Row>(db, pageSql(null));
  return asSearch(db, async (tx) => {
    const walletIds = await readNamedWallets(tx, { businessId, named, chainName });
    return tx.$queryRaw<Row[]>`${pageSql(walletIds)}`;
  });
}

/**
 * True if one plan may serve all values. The size of a page is part of the text, so only the
 * default size gives few texts. A plan without known times would take a long range for a short one,
 * and read it all. A plan without a known beginning of a hash would do the same. A plan for named
 * wallets must know their number.
 */
export function isPagePrepared({ filter, page }: TransactionsAsked): boolean {
  if (filter.named !== undefined) return false;
  const isInTime = filter.from !== undefined || filter.to !== undefined;
  const isShortened = partsOfShortened(filter.txHash ?? "") !== null;
  return page.limit === defaultPageSize && !isInTime && !isShortened;
}

/**
 * Selects one row more than the page, which shows whether there is a next page. The limit is a
 * literal: with a parameter, a plan for all values would expect the whole table.
 */
export function transactionPageSql(
  asked: TransactionsAsked,
  named: Named,
  shown: Shown = { columns: listedColumns, join: Prisma.empty },
): Prisma.Sql {
  const count = asked.page.limit + 1;
  const branches = transactionBranches(asked, named).map(({ where, each }) =>
    each === undefined
      ? Prisma.sql`(SELECT * FROM transaction t WHERE ${where} ${newest(count)})`
      : ofEach(each, where, count),
  );
  return Prisma.sql`${isPagePrepared(asked) ? prepared : Prisma.empty}
    SELECT ${shown.columns} FROM (${Prisma.join(branches, " UNION ALL ")}) t ${shown.join} ${newest(count)}`;
}

/** The order and the number of rows. The number is a literal. */
const newest = (count: number) =>
  Prisma.sql`ORDER BY t.id DESC NULLS LAST LIMIT ${Prisma.raw(String(count))}`;

/**
 * The first `count` rows among the rows of all `p` of a relation. It looks up the newest row of
 * each `p` first, and keeps the `count` newest of those. Any row of the page belongs to one of
 * these `p`, and is not older than the last of them. So only such rows are read afterwards.
 */
function ofEach(each: Prisma.Sql, where: Prisma.Sql, count: number): Prisma.Sql {
  return Prisma.sql`(SELECT t.* FROM (
      SELECT p.*, nth_value(t.id, ${Prisma.raw(String(count))}) OVER (ORDER BY t.id DESC
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS last_id
      FROM (${each}) p CROSS JOIN LATERAL (SELECT t.id FROM transaction t WHERE ${where} ${newest(1)}) t
      ${newest(count)}
    ) p CROSS JOIN LATERAL (
      SELECT * FROM transaction t WHERE ${where} AND t.id >= coalesce(p.last_id, ${nilId}::uuid)
      ${newest(count)}
    ) t ${newest(count)})`;
}

/**
 * The fault names the known assets. It includes assets and chains that are not configured any more.
 */
export async function unknownAsset(db: Database): Promise<Fault> {
  const known = await readRows<{ code: string; chain: string }>(
    db,
    Prisma.sql`SELECT code, chain_name AS chain FROM asset ORDER BY code, chain_name`,
  );
  const pairs = known.map(({ code, chain }) => `${code} of ${chain}`);
  const choices = pairs.join(", ");
  return invalidField("asset", `expected one of ${choices}`, {
    code: "choice",
    values: { choices },
  });
}

type NamedAsset = Pick<TransactionFilter, "assetCode" | "chainName">;

/**
 * The assets with a code, of one chain or of all chains.
 * @throws Fault `invalid_request` if the ledger knows none
 */
export async function requireAssets(
  db: Database,
  named: NamedAsset,
  how: { isAnyCase?: boolean } = {},
): Promise<SortedAsset[]> {
  const rows = await readRows<SortedAsset>(db, assetsSql(named, how));
  if (rows.length === 0) throw await unknownAsset(db);
  return rows;
}

/** Selects assets by code. Several chains may have an asset with the same code. */
export function assetsSql(
  { assetCode = "", chainName }: NamedAsset,
  { isAnyCase = false } = {},
): Prisma.Sql {
  const isNamed = isAnyCase
    ? Prisma.sql`upper(code) = upper(${assetCode})`
    : Prisma.sql`code = ${assetCode}`;
  const ofChain =
    chainName === undefined ? Prisma.empty : Prisma.sql`AND chain_name = ${chainName}`;
  return Prisma.sql`${prepared} SELECT id, decimals FROM asset WHERE ${isNamed} ${ofChain} ORDER BY id`;
}

/**
 * Written field by field, for speed. A spread costs more than all conversions of the row, and a
 * page has fifty rows.
 */
export function toListed(row: ListedRow): ListedTransaction {
  return {
    id: row.id,
    type: row.type as TransactionType,
    amountAtomic: BigInt(row.amount),
    assetCode: row.assetCode,
    assetDecimals: row.assetDecimals,
    status: row.status as TransactionStatus,
    isOrphaned: row.isOrphaned,
    walletId: row.walletId,
    chainName: row.chainName,
    txHash: row.txHash,
    fromAddress: row.fromAddress,
    toAddress: row.toAddress,
    memo: row.memo,
    virtualAddress: row.virtualAddress,
    lookalikeOf: row.lookalikeOf,
    blockNumber: row.blockNumber,
    blockTime: row.blockTime,
    positionNumber: row.positionNumber,
  };
}
