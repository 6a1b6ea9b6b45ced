import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import type { Wallet, WalletFilter } from "../../domain/watch/wallet.ts";
import { lacksBalance } from "../balances/open-balances.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { reaching } from "../postgres/reaching.ts";
import { type Statements, statementsOf } from "../postgres/statements.ts";
import { isNamed } from "../transactions/named-wallets.ts";

type WalletRow = Omit<Wallet, "currencies">;

/** The live wallets that match, newest first. */
export async function readWallets(
  db: Database,
  filter: WalletFilter,
  page: PageRequest,
): Promise<Page<Wallet>> {
  const conditions = conditionsOf(filter);
  if (page.afterId !== null) conditions.push(Prisma.sql`w.id < ${page.afterId}::uuid`);
  return reaching(async () => {
    const rows = await statementsOf(db).$queryRaw<WalletRow[]>`
      SELECT w.id, w.business_id AS "businessId", w.chain_name AS "chainName", w.address, w.purpose, w.label,
             w.reference, w.created_at AS "createdAt",
             ${walletStatus} AS status, h.from_number AS "fromBlock",
             CASE WHEN h.wallet_id IS NOT NULL THEN COALESCE(h.verdict, 'filling') END AS history
      FROM wallet w LEFT JOIN history h ON h.wallet_id = w.id WHERE ${Prisma.join(conditions, " AND ")}
      ORDER BY w.id DESC LIMIT ${page.limit + 1}`;
    const currencies = await readCurrencies(statementsOf(db));
    return toPage(
      rows.map((row) => ({ ...row, currencies: currencies.get(row.chainName) ?? [] })),
      page.limit,
    );
  });
}

/**
 * Condition on a wallet `w`: its balance of some configured asset is not read yet. OFFSET 0 finds
 * the wallet's own balances first. With the index of all unread balances, each of 5,000 wallets
 * read the whole index.
 */
const hasUnread = Prisma.sql`EXISTS (
    SELECT 1 FROM (SELECT asset_id, opening FROM balance WHERE wallet_id = w.id OFFSET 0) b
      JOIN asset a ON a.id = b.asset_id AND a.configured
    WHERE b.opening IS NULL
  )`;

const walletStatus = Prisma.sql`CASE WHEN w.leaving_at IS NOT NULL THEN 'leaving' WHEN ${hasUnread} OR ${lacksBalance} THEN 'syncing' ELSE 'watched' END`;

function conditionsOf(filter: WalletFilter): Prisma.Sql[] {
  const { id, businessId, chainName, address, reference, label, status, named, from, to } = filter;
  const conditions = [Prisma.sql`w.removed_at IS NULL`];
  const add = (condition: Prisma.Sql) => conditions.push(condition);
  if (businessId !== undefined) add(Prisma.sql`w.business_id = ${businessId}::uuid`);
  if (id !== undefined) add(Prisma.sql`w.id = ${id}::uuid`);
  if (chainName !== undefined) add(Prisma.sql`w.chain_name = ${chainName}`);
  if (address !== undefined) add(Prisma.sql`w.address = ${address}`);
  if (reference !== undefined) add(Prisma.sql`w.reference = ${reference}`);
  if (label !== undefined) add(Prisma.sql`w.label = ${label}`);
  if (status !== undefined) add(Prisma.sql`${walletStatus} = ${status}`);
  if (named !== undefined) add(isNamed(named));
  if (from !== undefined) add(Prisma.sql`w.created_at >= ${from}`);
  if (to !== undefined) add(Prisma.sql`w.created_at < ${to}`);
  return conditions;
}

/** The codes of each chain's configured assets, its own coin first. */
export async function readCurrencies(statements: Statements): Promise<Map<string, string[]>> {
  const assets = await statements.$queryRaw<{ chainName: string; codes: string[] }[]>`
    SELECT chain_name AS "chainName", array_agg(code ORDER BY address <> 'native', id) AS codes
    FROM asset WHERE configured GROUP BY chain_name`;
  return new Map(assets.map(({ chainName, codes }) => [chainName, codes]));
}
