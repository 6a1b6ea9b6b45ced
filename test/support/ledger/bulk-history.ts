import pg from "pg";

/** Who has a history. Wallets on ethereum and on base in turn, as many on each. */
export type BulkOwner = { businessId: string; walletIds: readonly string[] };

export type BulkHistory = {
  databaseUrl: string;
  count: number;
  /** Of nine transactions in ten. */
  owner: BulkOwner;
  /** Of the others. */
  stranger: BulkOwner;
  /** When the first one was, in ms; the first moment of 2025 where nothing is said. */
  firstMs?: number;
};

/** One transaction every three seconds: ten million are a year. */
const yearMs = Date.UTC(2025, 0, 1);
export const stepMs = 3_000;

/** Of the transaction with this index, from 0 to `count` - 1, of a history that begins in 2025. */
export const bulkTime = (index: number) => new Date(yearMs + index * stepMs);

/** Rows of one statement. */
const batch = 250_000;

/**
 * Transactions of every type and status on the chains ethereum and base, written by PostgreSQL
 * itself; the last 20 are pending. The indexes are made after the rows. Only into a ledger without
 * transactions.
 */
export async function insertBulkHistory(history: BulkHistory): Promise<void> {
  const { databaseUrl, count } = history;
  const first = await connect(databaseUrl);
  const second = await connect(databaseUrl);
  const clients = [first, second];
  try {
    const assets = {
      ethereum: await assetsOf(first, "ethereum"),
      base: await assetsOf(first, "base"),
    };
    const indexes = await dropIndexes(first);
    const firsts = Array.from({ length: Math.ceil(count / batch) }, (_, index) => index * batch);
    await share(clients, firsts, (client, from) =>
      insertRange(client, { ...history, ...assets, from, until: Math.min(count, from + batch) }),
    );
    await share(clients, indexes, async (client, definition) => {
      await client.query(definition);
    });
    await first.query("VACUUM ANALYZE");
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  // What refers to a row exists: it is not looked up for each of them.
  await client.query("SET session_replication_role = replica");
  await client.query("SET maintenance_work_mem = '512MB'");
  return client;
}

async function assetsOf(client: pg.Client, chainName: string): Promise<number[]> {
  const sql = "SELECT id FROM asset WHERE chain_name = $1 ORDER BY code";
  return (await client.query<{ id: number }>(sql, [chainName])).rows.map(({ id }) => id);
}

/** Every index but the primary key; answers how to make them again. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    SELECT indexname AS name, indexdef AS definition FROM pg_indexes
    WHERE tablename = 'transaction' AND indexname <> 'transaction_pkey'`);
  for (const { name } of rows) await client.query(`DROP INDEX "${name}"`);
  return rows.map(({ definition }) => definition);
}

/** Each client takes the next piece when it is done with one. */
async function share<T>(
  clients: readonly pg.Client[],
  pieces: readonly T[],
  work: (client: pg.Client, piece: T) => Promise<void>,
): Promise<void> {
  const left = [...pieces];
  await Promise.all(
    clients.map(async (client) => {
      for (let piece = left.shift(); piece !== undefined; piece = left.shift())
        await work(client, piece);
    }),
  );
}

type Range = BulkHistory & { ethereum: number[]; base: number[]; from: number; until: number };

async function insertRange(client: pg.Client, range: Range): Promise<void> {
  const { owner, stranger, ethereum, base, from, until, count, firstMs = yearMs } = range;
  // Of `h`, a hash of the number: everything that is to look random. `x` is a number made of it.
  await client.query(
    `INSERT INTO transaction (id, identity, chain_name, business_id, wallet_id, asset_id, type, direction, amount, status,
      tx_hash, from_address, to_address, block_number, block_hash, block_time, ordinal)
    SELECT (lpad(to_hex(ms), 12, '0') || '7' || substr(h, 1, 3) || '8' || substr(h, 4, 15))::uuid, decode(h || reverse(h), 'hex'), chain,
      ($1::uuid[])[1 + other],
      CASE other WHEN 0 THEN ($2::uuid[])[1 + 2 * (x / 7 % (cardinality($2::uuid[]) / 2)) + i % 2]
                 ELSE ($3::uuid[])[1 + 2 * (x / 7 % (cardinality($3::uuid[]) / 2)) + i % 2] END,
      CASE chain WHEN 'base' THEN ($4::int[])[1 + x / 100 % 2] ELSE ($5::int[])[1 + x / 100 % 2] END,
      kind, CASE WHEN kind IN ('withdrawal', 'fee') THEN 'out' ELSE 'in' END, 10 ^ 12 + x,
      CASE WHEN i >= $8::bigint - 20 THEN 'pending' WHEN x / 1000 % 50 = 0 THEN 'dropped' WHEN x / 1000 % 50 = 1 THEN 'reversed' ELSE 'completed' END,
      '0x' || h || reverse(h), '0x' || substr(h, 1, 20) || substr(h, 5, 20), '0x' || substr(h, 9, 20) || substr(h, 2, 20),
      i, '0x' || reverse(h) || h, to_timestamp(ms / 1000.0), 0
    FROM (
      SELECT i, x, h, ms, CASE i % 2 WHEN 0 THEN 'ethereum' ELSE 'base' END AS chain, (x % 10 = 0)::int AS other,
        (ARRAY['deposit', 'deposit', 'deposit', 'payment', 'withdrawal', 'withdrawal', 'fee', 'fee', 'income', 'adjustment'])[1 + x / 10 % 10] AS kind
      FROM (
        SELECT i, h, ${firstMs}::bigint + i * ${stepMs}::bigint AS ms, ('x' || substr(h, 1, 7))::bit(28)::int AS x
        FROM (SELECT i, md5(i::text) AS h FROM generate_series($6::bigint, $7::bigint - 1) i OFFSET 0) a
      ) b
    ) c`,
    [
      ...[[owner.businessId, stranger.businessId], owner.walletIds, stranger.walletIds],
      ...[base, ethereum, from, until, count],
    ],
  );
}
