import pg from "pg";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { claimDeliveries } from "../../../src/ledger/deliveries/claim-deliveries.ts";
import { emptyMemory } from "../../../src/ledger/deliveries/claim-memory.ts";
import { recordAttempts } from "../../../src/ledger/deliveries/record-attempts.ts";
import { closeDatabase } from "../../../src/ledger/postgres/database.ts";
import { statementsOf } from "../../../src/ledger/postgres/statements.ts";
import { openDatabase } from "../../support/ledger/database.ts";
import { eachTestLedger } from "../../support/ledger/each-ledger.ts";
import { insertBusiness, newWallet, testChain } from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, registerWebhook } from "../../support/ledger/steps.ts";
import { writtenChain } from "../../support/ledger/written-chain.ts";
import { recordsOf } from "./deliveries/records-of.ts";
import { limits } from "./deliveries/seed.ts";

// PostgreSQL keeps the plans of a block's commit, of claims and of records. Here the only
// connection makes them while the tables are nearly empty, and nothing is analyzed afterwards.

const ledger = eachTestLedger();
let way: Awaited<ReturnType<typeof openWay>>;

beforeEach(async () => {
  way = await openWay();
});

/** More times than PostgreSQL plans a prepared statement for its values. */
const rounds = 12;

/** The way of a deposit on one connection, from its block to the record of its attempt. */
async function openWay() {
  const db = openDatabase({ databaseUrl: ledger.url, poolSize: 1 });
  onTestFinished(() => closeDatabase(db));
  const businessId = await insertBusiness(db);
  await registerWebhook(db, { businessId, url: "https://a.example/", secretCiphertext: "x" });
  const wallet = newWallet();
  const [added] = await addWallets(db, { businessId, wallets: [wallet] });
  const to = { businessId, walletId: added?.id ?? "", address: wallet.address };
  await db.$executeRaw`UPDATE balance SET opening = 0`;
  await db.$executeRaw`INSERT INTO dispatcher (id, slots, seen_at) VALUES (gen_random_uuid(), 100, now() + interval '1 hour')`;
  const chain = await writtenChain(db, testChain.name);
  const memory = emptyMemory();
  return {
    db,
    async go() {
      expect(await chain.commit([to, to])).toMatchObject({ kind: "committed" });
      const claims = await claimDeliveries(db, { ...limits, direct: 10 }, memory);
      const begun = claims.map(({ token, begun: sends }) => ({ token, sends: sends ?? [] }));
      const records = begun.flatMap((one) => recordsOf(one, 200));
      const { movedDeliveryIds } = await recordAttempts(db, records);
      return movedDeliveryIds.length;
    },
  };
}

test("each statement between a block and its notification keeps one plan", async () => {
  for (let round = 0; round < rounds; round += 1) await way.go();
  const kept = await statementsOf(way.db).$queryRaw<{ text: string; uses: number }[]>`
    SELECT statement AS text, generic_plans::int AS uses FROM pg_prepared_statements
    WHERE statement LIKE '%/* prepared by index */%' AND custom_plans + generic_plans > 5`;
  expect(kept.filter(({ uses }) => uses === 0)).toEqual([]);
  expect(kept).toHaveLength(10);
});

test("a plan from nearly empty tables serves full ones", async () => {
  for (let round = 0; round < rounds; round += 1) await way.go();
  await fill(5_000);
  const before = await readRows();
  expect(await way.go()).toBeGreaterThan(0);
  expect((await readRows()) - before).toBeLessThan(500);
});

/** What makes another row of a copied one, by table. */
const copies = {
  business: "'id', md5(n::text)::uuid",
  webhook: "'id', md5(n::text)::uuid, 'business_id', md5(n::text)::uuid",
  balance: "'wallet_id', md5(n::text)::uuid",
  transaction:
    "'id', md5(n::text)::uuid, 'identity', '\\x' || md5(n::text), 'block_number', -n, 'status', 'completed'",
  ledger_entry: "'id', -n, 'transaction_id', md5(n::text)::uuid",
  notification:
    "'id', md5(n::text)::uuid, 'transaction_id', md5(n::text)::uuid, 'sequence', -n, 'seq', -n",
  delivery:
    "'id', md5(n::text)::uuid, 'notification_id', md5(n::text)::uuid, 'seq', -n, 'status', 'delivered'",
  attempt: "'id', -n, 'delivery_id', md5(n::text)::uuid",
  webhook_turn: "'webhook_id', md5(n::text)::uuid, 'business_id', md5(n::text)::uuid",
  webhook_stream: "'owner_id', md5(n::text)::uuid",
  block: "'chain_name', 'another', 'number', n",
};

/** Gives each table so many more rows, without an ANALYZE. */
async function fill(count: number): Promise<void> {
  const client = new pg.Client({ connectionString: ledger.url });
  await client.connect();
  try {
    // The copied rows stand alone.
    await client.query("SET session_replication_role = replica");
    for (const [table, changes] of Object.entries(copies)) {
      const { rowCount } = await client.query(`
        INSERT INTO ${table} SELECT copied.*
        FROM (SELECT * FROM ${table} LIMIT 1) one CROSS JOIN generate_series(1, ${count}) n
          CROSS JOIN jsonb_populate_record(NULL::${table}, to_jsonb(one) || jsonb_build_object(${changes})) copied`);
      expect(rowCount).toBe(count);
    }
  } finally {
    await client.end();
  }
}

/** The rows that the connection has read so far. */
async function readRows(): Promise<number> {
  const { $queryRaw } = statementsOf(way.db);
  await $queryRaw`SELECT pg_stat_force_next_flush()::text`;
  const [read] = await $queryRaw<{ rows: number }[]>`
    SELECT sum(seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_user_tables`;
  return read?.rows ?? 0;
}
