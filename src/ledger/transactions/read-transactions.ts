import { partsOfShortened } from "../../domain/chain/shortened-hash.ts";
import type { Fault } from "../../domain/fault.ts";
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
import { type Named, transactionBranches } from "./transaction-branches.ts";

export type ListedRow = Omit<ListedTransaction, "type" | "status" | "amountAtomic"> & {
  type: string;
  status: string;
  amount: string;
};

/**
 * The columns that a list shows of a transaction `t`. Columns of other tables are looked up row by
 * row and not joined. So the rows stay in the order in which an index gives them.
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
 * A business's transactions that match, newest first by id. Reads about as many index entries as it
 * shows, at any size of the table and for each filter alone: see transactionBranches. A shortened
 * hash makes it read every hash that begins so.
 * @throws Fault `invalid_request` where the ledger knows no such asset
 */
export async function readTransactions(
  db: Database,
  asked: TransactionsAsked,
): Promise<Page<ListedTransaction>> {
  const rows = await readPage<ListedRow>(db, asked);
  return toPage(rows.map(toListed), asked.page.limit);
}

/**
 * The rows of a page. Those of wallets that are named are read as a search.
 * @throws Fault `invalid_request` where the ledger knows no such asset, or the text names too much
 */
export async function readPage<Row>(
  db: Database,
  asked: TransactionsAsked,
  shown?: Shown,
): Promise<Row[]> {
  const { businessId, filter } = asked;
  const { assetCode, named, chainName } = filter;
  const assetIds =
    assetCode === undefined ? null : await requireAssets(db, filter, { isAnyCase: true });
  if (named === undefined) {
    return readRows<Row>(db, transactionPageSql(asked, { assetIds, walletIds: null }, shown));
  }
  return asSearch(db, async (tx) => {
    const walletIds = await readNamedWallets(tx, { businessId, named, chainName });
    return tx.$queryRaw<Row[]>`${transactionPageSql(asked, { assetIds, walletIds }, shown)}`;
  });
}

/**
 * True if one plan may serve every value. The caller chooses the size of a page, which is a part of
 * the text. With the default alone, the texts are few. A plan that knows no times takes a long
 * range for a short one, and reads it all. So does one that knows no beginning of a hash. A plan
 * for wallets that are named must know how many there are.
 */
export function isPagePrepared({ filter, page }: TransactionsAsked): boolean {
  if (filter.named !== undefined) return false;
  const isInTime = filter.from !== undefined || filter.to !== undefined;
  const isShortened = partsOfShortened(filter.txHash ?? "") !== null;
  return page.limit === defaultPageSize && !isInTime && !isShortened;
}

/** The columns of a page, and what is joined to each of its transactions `t` for them. */
type Shown = { columns: Prisma.Sql; join: Prisma.Sql };

/**
 * One row more than the page: it says whether there is a next one. The limit is a literal: of a
 * parameter a plan that serves every value would think that it might be the whole table.
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

/** The order and the number of rows, as a literal. */
const newest = (count: number) =>
  Prisma.sql`ORDER BY t.id DESC NULLS LAST LIMIT ${Prisma.raw(String(count))}`;

/** Less than every other id. */
const leastId = "00000000-0000-0000-0000-000000000000";

/**
 * The first `count` rows of all rows `p` of a relation. A row that is shown belongs to a `p` whose
 * newest row is among the newest `count` ones. It is not older than the last of those. So the
 * newest row of each `p` is looked up, and then those rows alone.
 */
function ofEach(each: Prisma.Sql, where: Prisma.Sql, count: number): Prisma.Sql {
  return Prisma.sql`(SELECT t.* FROM (
      SELECT p.*, nth_value(t.id, ${Prisma.raw(String(count))}) OVER (ORDER BY t.id DESC
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS last_id
      FROM (${each}) p CROSS JOIN LATERAL (SELECT t.id FROM transaction t WHERE ${where} ${newest(1)}) t
      ${newest(count)}
    ) p CROSS JOIN LATERAL (
      SELECT * FROM transaction t WHERE ${where} AND t.id >= coalesce(p.last_id, ${leastId}::uuid)
      ${newest(count)}
    ) t ${newest(count)})`;
}

/** Also an asset or a chain that is not configured any more is known. */
async function unknownAsset(db: Database): Promise<Fault> {
  const known = await readRows<{ code: string; chain: string }>(
    db,
    Prisma.sql`SELECT code, chain_name AS chain FROM asset ORDER BY code, chain_name`,
  );
  const pairs = known.map(({ code, chain }) => `${code} of ${chain}`);
  return invalidField("asset", `expected one of ${pairs.join(", ")}`);
}

type NamedAsset = Pick<TransactionFilter, "assetCode" | "chainName">;

/**
 * The assets with a code, of one chain or of all.
 * @throws Fault `invalid_request` where the ledger knows none
 */
export async function requireAssets(
  db: Database,
  named: NamedAsset,
  how: { isAnyCase?: boolean } = {},
): Promise<number[]> {
  const rows = await readRows<{ id: number }>(db, assetIdsSql(named, how));
  if (rows.length === 0) throw await unknownAsset(db);
  return rows.map((row) => row.id);
}

/** The same code may be an asset of several chains. */
export function assetIdsSql(
  { assetCode = "", chainName }: NamedAsset,
  { isAnyCase = false } = {},
): Prisma.Sql {
  const isNamed = isAnyCase
    ? Prisma.sql`upper(code) = upper(${assetCode})`
    : Prisma.sql`code = ${assetCode}`;
  const ofChain =
    chainName === undefined ? Prisma.empty : Prisma.sql`AND chain_name = ${chainName}`;
  return Prisma.sql`${prepared} SELECT id FROM asset WHERE ${isNamed} ${ofChain} ORDER BY id`;
}

/**
 * Each field by its name: to spread a row costs more than all its conversions, and a page has
 * fifty.
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
