import pg from "pg";
import { type BulkOwner, insertBulkHistory, stepMs } from "./bulk-history.ts";
import type { Database } from "./database.ts";
import { insertBusiness, newWallet } from "./ledger-fixtures.ts";
import { addWallets } from "./steps.ts";

/** Wallets of one call. */
const batch = 5_000;

/**
 * An installation with many customers: of `count` transactions one wallet for each ten, and one
 * business for each 500. Half of the wallets and nine transactions in ten are of the business that
 * is answered. Every completed deposit, payment and withdrawal was notified of, and sent once; of a
 * hundred notifications one was given up. The newest transaction is of now.
 */
export async function fillInstallation(
  { db, url }: { db: Database; url: string },
  count: number,
): Promise<BulkOwner> {
  const owner = await addOwner(db, "Example Ltd", count / 20);
  const businesses = Math.max(2, count / 500) - 1;
  const others: BulkOwner[] = [];
  for (let place = 0; place < businesses; place += 1)
    others.push(await addOwner(db, `Customer ${place}`, Math.floor(count / 20 / businesses)));
  const [stranger] = others;
  if (stranger === undefined) throw new Error("there is no other business");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("UPDATE balance SET opening = 0, confirmed = 1000000000000");
    const firstMs = Date.now() - count * stepMs;
    await insertBulkHistory({ databaseUrl: url, count, owner, stranger, firstMs });
    // What refers to a row exists, and nothing is left waiting: nobody looks up or is woken.
    await client.query("SET session_replication_role = replica");
    for (const { businessId } of [owner, stranger]) await insertWebhook(client, businessId);
    for (const sql of [notified, sent, attempted]) await client.query(sql);
    await client.query("VACUUM ANALYZE");
  } finally {
    await client.end();
  }
  return owner;
}

/** Wallets on ethereum and on base in turn. */
async function addOwner(db: Database, name: string, wallets: number): Promise<BulkOwner> {
  const businessId = await insertBusiness(db, name);
  const walletIds: string[] = [];
  for (let from = 0; from < wallets; from += batch) {
    const some = Array.from({ length: Math.min(batch, wallets - from) }, (_, index) =>
      newWallet({
        chainName: index % 2 === 0 ? "ethereum" : "base",
        reference: `customer-${from + index}`,
        label: `Shop ${(from + index) % 50}`,
      }),
    );
    walletIds.push(...(await addWallets(db, { businessId, wallets: some })).map(({ id }) => id));
  }
  return { businessId, walletIds };
}

function insertWebhook(client: pg.Client, businessId: string) {
  return client.query(
    `INSERT INTO webhook (id, business_id, url, secret_ciphertext)
    VALUES (gen_random_uuid(), $1, 'https://receiver.example/hook', 'sealed')`,
    [businessId],
  );
}

/** A notification and its delivery have the id of their transaction. */
const notified = `
  INSERT INTO notification (id, business_id, transaction_id, state, event, body, created_at, chain_name, sequence, digest, seq)
  SELECT id, business_id, id, 'confirmed', 'transaction.' || type, '{"pad":"' || repeat('x', 600) || '"}', block_time, chain_name,
    row_number() OVER (PARTITION BY business_id, chain_name ORDER BY id), sha256(id::text::bytea),
    row_number() OVER (ORDER BY id)
  FROM transaction WHERE status = 'completed' AND type IN ('deposit', 'payment', 'withdrawal')`;

const sent = `
  INSERT INTO delivery (id, seq, notification_id, business_id, webhook_id, status, attempts, delivered_at, created_at)
  SELECT n.id, n.seq, n.id, n.business_id, w.id, CASE WHEN n.seq % 100 = 0 THEN 'exhausted' ELSE 'delivered' END, 1,
    CASE WHEN n.seq % 100 = 0 THEN NULL ELSE n.created_at END, n.created_at
  FROM notification n JOIN webhook w ON w.business_id = n.business_id`;

const attempted = `
  INSERT INTO attempt (delivery_id, webhook_id, number, started_at, latency_ms, status_code)
  SELECT id, webhook_id, 1, created_at, seq % 500, CASE status WHEN 'delivered' THEN 204 ELSE 503 END
  FROM delivery ORDER BY seq`;
