import type { Database } from "../../../src/ledger/postgres/database.ts";
import { addWallets } from "../../../src/ledger/watchlist/add-wallets.ts";
import { insertBusiness, markSynced, newWallet, testChain } from "./ledger-fixtures.ts";

/** A second chain, on which USDC is another asset of the same code. */
export const bulkChains = [
  testChain,
  {
    name: "base",
    chainId: 8453,
    assets: [
      { code: "ETH", address: "native", decimals: 18, kind: "exact" },
      {
        code: "USDC",
        address: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        decimals: 6,
        kind: "exact",
      },
    ],
  },
] as const;

const walletsPerChain = 10;

/** One transaction every three seconds from here on: ten million are a year. */
const firstMs = Date.UTC(2025, 0, 1);
const stepMs = 3_000;

export const bulkTime = (index: number) => new Date(firstMs + index * stepMs);

/**
 * A history of `count` transactions of every type and status on two chains, nine in ten of one business and the rest
 * of another, written by PostgreSQL itself. With a great count the indexes are made after the rows.
 */
export async function insertBulkHistory(
  db: Database,
  count: number,
): Promise<{ businessId: string; strangerId: string; walletIds: string[] }> {
  const [businessId, strangerId] = [await insertBusiness(db), await insertBusiness(db, "Stranger")];
  const walletIds = await addBulkWallets(db, businessId);
  const strangers = await addBulkWallets(db, strangerId);
  const restore = count > 1_000_000 ? await dropIndexes(db) : async () => {};
  const batch = 500_000;
  for (let first = 0; first < count; first += batch) {
    const last = Math.min(count, first + batch) - 1;
    await insertRange(db, { first, last, owners: [businessId, strangerId], walletIds, strangers });
  }
  await restore();
  await db.$executeRawUnsafe("VACUUM ANALYZE");
  return { businessId, strangerId, walletIds };
}

async function addBulkWallets(db: Database, businessId: string): Promise<string[]> {
  const wallets = Array.from({ length: 2 * walletsPerChain }, (_, index) =>
    newWallet({ chainName: index % 2 === 0 ? "ethereum" : "base" }),
  );
  const ids = (await addWallets(db, { businessId, wallets })).map((wallet) => wallet.id);
  await markSynced(db, ids, { ETH: { confirmed: 10n ** 18n }, USDC: { confirmed: 5_000_000n } });
  return ids;
}

type Range = {
  first: number;
  last: number;
  owners: string[];
  walletIds: string[];
  strangers: string[];
};

async function insertRange(db: Database, range: Range): Promise<void> {
  const { first, last, owners, walletIds, strangers } = range;
  const assets = await db.asset.findMany({ orderBy: [{ chainName: "asc" }, { code: "asc" }] });
  const ids = (chain: string) =>
    assets.filter((asset) => asset.chainName === chain).map((a) => a.id);
  await db.$executeRaw`
    INSERT INTO transaction (id, identity, chain_name, business_id, wallet_id, asset_id, type, direction, amount, status,
      tx_hash, from_address, to_address, block_number, block_hash, block_time, ordinal)
    SELECT (lpad(to_hex(ms), 12, '0') || '7' || substr(h, 1, 3) || '8' || substr(h, 4, 15))::uuid, 'bulk' || i, chain,
      (${owners}::uuid[])[1 + other],
      CASE other WHEN 0 THEN (${walletIds}::uuid[])[1 + i % 20] ELSE (${strangers}::uuid[])[1 + i % 20] END,
      CASE chain WHEN 'base' THEN (${ids("base")}::int[])[1 + x / 100 % 2] ELSE (${ids("ethereum")}::int[])[1 + x / 100 % 2] END,
      kind, CASE WHEN kind IN ('withdrawal', 'fee') THEN 'out' ELSE 'in' END, 1 + x,
      CASE WHEN i > ${last} - 20 THEN 'pending' WHEN x / 1000 % 50 = 0 THEN 'dropped' WHEN x / 1000 % 50 = 1 THEN 'reversed' ELSE 'completed' END,
      '0x' || md5('t' || i / 2) || h, '0x' || repeat('a', 40), '0x' || repeat('b', 40), i, '0x' || h || h,
      to_timestamp(ms / 1000.0), 0
    FROM (
      SELECT i, x, ms, h, CASE i % 2 WHEN 0 THEN 'ethereum' ELSE 'base' END AS chain, (x % 10 = 0)::int AS other,
        (ARRAY['deposit', 'deposit', 'deposit', 'payment', 'withdrawal', 'withdrawal', 'fee', 'fee', 'income', 'adjustment'])[1 + x / 10 % 10] AS kind
      FROM (
        SELECT i, ${firstMs}::bigint + i * ${stepMs}::bigint AS ms, md5(i::text) AS h,
          ('x' || substr(md5(i::text), 1, 7))::bit(28)::int AS x
        FROM generate_series(${first}::bigint, ${last}::bigint) i
      ) a
    ) b`;
}

/** Every index but the keys; answers how to make them again. */
async function dropIndexes(db: Database): Promise<() => Promise<void>> {
  const rows = await db.$queryRaw<{ name: string; definition: string }[]>`
    SELECT indexname AS name, indexdef AS definition FROM pg_indexes
    WHERE tablename = 'transaction' AND indexname <> 'transaction_pkey'`;
  for (const { name } of rows) await db.$executeRawUnsafe(`DROP INDEX "${name}"`);
  return async () => {
    await db.$executeRawUnsafe("SET maintenance_work_mem = '1GB'");
    for (const { definition } of rows) await db.$executeRawUnsafe(definition);
  };
}
