// A business with a long history, written by PostgreSQL itself.
import pg from "pg";
import { newApiKey, recordOfApiKey } from "../../dist/domain/business/api-key.js";
import { createApiKey } from "../../dist/ledger/businesses/api-keys.js";
import { createBusiness } from "../../dist/ledger/businesses/businesses.js";
import { addWallets } from "../../dist/ledger/watchlist/add-wallets.js";

const chainNames = ["ethereum", "base"];
const walletsPerChain = 50;

/** One transaction every three seconds: ten million are a year. */
const firstMs = Date.UTC(2025, 0, 1);
const stepMs = 3_000;

/** Rows of one statement. */
const batch = 250_000;

/**
 * `count` transactions of every type and status on two chains, nine in ten of one business and the rest of another,
 * with the balances of 100 wallets. The indexes are made after the rows. Answers the first business and its key.
 */
export async function fillHistory({ db, databaseUrl, count, say }) {
  const mine = await addBusiness(db);
  const strangers = await addBusiness(db);
  const assets = await db.asset.findMany({ orderBy: [{ chainName: "asc" }, { code: "asc" }] });
  const assetsOf = (chain) => assets.filter((asset) => asset.chainName === chain).map((a) => a.id);
  const parameters = {
    businesses: [mine.businessId, strangers.businessId],
    mine: mine.walletIds,
    strangers: strangers.walletIds,
    base: assetsOf("base"),
    ethereum: assetsOf("ethereum"),
  };
  const clients = await Promise.all([connect(databaseUrl), connect(databaseUrl)]);
  try {
    const indexes = await dropIndexes(clients[0]);
    const firsts = Array.from({ length: Math.ceil(count / batch) }, (_, index) => index * batch);
    await share(clients, firsts, async (client, first) => {
      const last = Math.min(count, first + batch) - 1;
      await insertRange(client, { ...parameters, first, last, count });
    });
    say(`${count.toLocaleString("en")} rows written`);
    await share(clients, indexes, (client, { definition }) => client.query(definition));
    await settle(clients[0], count);
    await clients[0].query("VACUUM ANALYZE");
    say("indexes made");
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
  return mine;
}

async function addBusiness(db) {
  const { id: businessId } = await createBusiness(db, { name: "bench", isVerified: true });
  const key = newApiKey();
  await createApiKey(db, { businessId, label: null, record: recordOfApiKey(key) });
  const empty = { purpose: "deposit", label: null, reference: null, fromBlock: null };
  const wallets = chainNames.flatMap((chainName) =>
    Array.from({ length: walletsPerChain }, () => ({ ...empty, chainName, address: anAddress() })),
  );
  const added = await addWallets(db, { businessId, wallets });
  return { businessId, key, walletIds: added.map(({ id }) => id) };
}

function anAddress() {
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  return `0x${Buffer.from(bytes).toString("hex")}`;
}

/** What refers to a row exists: it is not looked up for each of them. */
async function connect(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query("SET session_replication_role = replica");
  await client.query("SET maintenance_work_mem = '512MB'");
  return client;
}

/** Every index but the primary key. */
async function dropIndexes(client) {
  const { rows } = await client.query(`
    SELECT indexname AS name, indexdef AS definition FROM pg_indexes
    WHERE tablename = 'transaction' AND indexname <> 'transaction_pkey'`);
  for (const { name } of rows) await client.query(`DROP INDEX "${name}"`);
  return rows;
}

/** The chains have come as far as the history, and every wallet holds something. */
async function settle(client, count) {
  await client.query(
    `UPDATE chain SET position_number = $1, head_number = $1, position_hash = '0x' || repeat('c', 64), position_time = now()`,
    [count],
  );
  await client.query(
    "UPDATE balance SET opening = 0, confirmed = 10 ^ 17 + wallet_hash, pending = 7 FROM (SELECT id, abs(hashtext(id::text)) AS wallet_hash FROM wallet) w WHERE w.id = wallet_id",
  );
}

/** Each client takes the next piece when it is done with one. */
async function share(clients, pieces, work) {
  const left = [...pieces];
  await Promise.all(
    clients.map(async (client) => {
      for (let piece = left.shift(); piece !== undefined; piece = left.shift())
        await work(client, piece);
    }),
  );
}

function insertRange(client, range) {
  const { first, last, count, businesses, mine, strangers, base, ethereum } = range;
  return client.query(
    `INSERT INTO transaction (id, identity, chain_name, business_id, wallet_id, asset_id, type, direction, amount, status,
      tx_hash, from_address, to_address, block_number, block_hash, block_time, ordinal)
    SELECT (lpad(to_hex(ms), 12, '0') || '7' || substr(h, 1, 3) || '8' || substr(h, 4, 15))::uuid, h || i, chain,
      ($1::uuid[])[1 + other],
      CASE other WHEN 0 THEN ($2::uuid[])[wallet] ELSE ($3::uuid[])[wallet] END,
      CASE chain WHEN 'base' THEN ($4::int[])[1 + x / 100 % 2] ELSE ($5::int[])[1 + x / 100 % 2] END,
      kind, CASE WHEN kind IN ('withdrawal', 'fee') THEN 'out' ELSE 'in' END, 10 ^ 12 + x,
      CASE WHEN i > $8::bigint - 20 THEN 'pending' WHEN x / 1000 % 50 = 0 THEN 'dropped' WHEN x / 1000 % 50 = 1 THEN 'reversed' ELSE 'completed' END,
      '0x' || h || reverse(h), '0x' || substr(h, 1, 20) || substr(h, 5, 20), '0x' || substr(h, 9, 20) || substr(h, 2, 20),
      i, '0x' || reverse(h) || h, to_timestamp(ms / 1000.0), 0
    FROM (
      SELECT i, x, h, ms, CASE i % 2 WHEN 0 THEN 'ethereum' ELSE 'base' END AS chain, (x % 10 = 0)::int AS other,
        (1 + i % 2)::int * ${walletsPerChain} - ${walletsPerChain - 1} + x / 7 % ${walletsPerChain} AS wallet,
        (ARRAY['deposit', 'deposit', 'deposit', 'payment', 'withdrawal', 'withdrawal', 'fee', 'fee', 'income', 'adjustment'])[1 + x / 10 % 10] AS kind
      FROM (
        SELECT i, h, ${firstMs}::bigint + i * ${stepMs}::bigint AS ms, ('x' || substr(h, 1, 7))::bit(28)::int AS x
        FROM (SELECT i, md5(i::text) AS h FROM generate_series($6::bigint, $7::bigint) i OFFSET 0) a
      ) b
    ) c`,
    [businesses, mine, strangers, base, ethereum, first, last, count],
  );
}
