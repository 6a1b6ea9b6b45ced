import { expect, it } from "vitest";
import { migrate } from "../../../../src/ledger/installation/migrate.ts";
import { clientsOf, closeDatabase } from "../../../../src/ledger/postgres/database.ts";
import { allTests } from "../../../support/each-test.ts";
import { openCluster } from "../../../support/ledger/cluster.ts";
import { type Database, openDatabase } from "../../../support/ledger/database.ts";
import { insertBusiness, newWallet, testChain } from "../../../support/ledger/ledger-fixtures.ts";
import {
  addWallets,
  changeWebhook,
  configureChains,
  finishSteps,
  registerWebhook,
} from "../../../support/ledger/steps.ts";

/**
 * A database on a server of its own, with one connection, whose own counts are all there are. On a
 * server that others use, their transactions keep dead entries from being forgotten. Those are read
 * again.
 */
const server = allTests(
  async () => {
    const cluster = await openCluster();
    const databaseUrl = await cluster.createDatabase("arranging");
    await migrate({ databaseUrl });
    const db = openDatabase({ databaseUrl, poolSize: 1 });
    await configureChains(db, [testChain], "removed");
    return { cluster, db };
  },
  async ({ cluster, db }) => {
    await closeDatabase(db);
    await cluster.end();
  },
);

/** Entries that were read so far of the indexes by which a batch finds what joins or leaves lines. */
async function foundSoFar(db: Database): Promise<number> {
  const { pool } = clientsOf(db);
  await pool.query("SELECT pg_stat_force_next_flush()");
  const { rows } = await pool.query<{ read: string }>(
    `SELECT sum(idx_tup_read) AS read FROM pg_stat_user_indexes
     WHERE indexrelname IN ('due_delivery_webhook_id_is_retry_place_idx', 'delivery_behind_idx', 'delivery_front_idx')`,
  );
  return Number(rows[0]?.read);
}

/** What is read for each delivery, while all join lines, and while all leave them. */
async function arrangingCost(db: Database, wallets: number, each: number) {
  const businessId = await insertBusiness(db);
  const registration = { businessId, url: "https://a.example/", secretCiphertext: "sealed" };
  const { webhook } = await registerWebhook(db, registration);
  const webhookId = webhook.id;
  const added = Array.from({ length: wallets }, () => newWallet());
  await addWallets(db, { businessId, wallets: added });
  await clientsOf(db).pool.query(
    `WITH written AS (
      INSERT INTO notification (id, business_id, wallet_id, state, event, body)
      SELECT gen_random_uuid(), $1, w.id, 'confirmed', 'transaction.deposit', '{"data":{}}'
      FROM wallet w, generate_series(1, $2::int) WHERE w.business_id = $1 RETURNING id
    )
    INSERT INTO delivery (id, notification_id, business_id, webhook_id)
    SELECT gen_random_uuid(), id, $1, $3 FROM written`,
    [businessId, each, webhookId],
  );
  async function costOf(isOrdered: boolean): Promise<number> {
    const before = await foundSoFar(db);
    await changeWebhook(db, { businessId, webhookId }, { isOrdered });
    await finishSteps(db);
    return ((await foundSoFar(db)) - before) / (wallets * each);
  }
  const countInLines = () => db.delivery.count({ where: { businessId, walletId: { not: null } } });
  const joining = await costOf(true);
  expect(await countInLines()).toBe(wallets * each);
  const leaving = await costOf(false);
  expect(await countInLines()).toBe(0);
  return { joining, leaving };
}

// Twelve batches. If each of them looked through all, they would read more than six entries for a
// delivery and index.
it.each([
  ["one wallet each", 6_000, 1],
  ["one wallet for all", 1, 6_000],
])("a changed order looks a few times at each delivery: %s", async (_, wallets, each) => {
  const cost = await arrangingCost(server.db, wallets, each);
  expect(cost.joining).toBeLessThan(10);
  expect(cost.leaving).toBeLessThan(10);
});
