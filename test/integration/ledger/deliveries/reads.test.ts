import { expect, it } from "vitest";
import { beginClaims } from "../../../../src/ledger/deliveries/begin-claims.ts";
import { claimDeliveries } from "../../../../src/ledger/deliveries/claim-deliveries.ts";
import { listUnbegunClaims, sweepClaims } from "../../../../src/ledger/deliveries/reclaim.ts";
import { recordAttempts } from "../../../../src/ledger/deliveries/record-attempts.ts";
import { clientsOf } from "../../../../src/ledger/postgres/database.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { eachTest } from "../../../support/each-test.ts";
import { openDatabase } from "../../../support/ledger/database.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { recordsOf } from "./records-of.ts";
import { createSeededLedger, limits } from "./seed.ts";

const sweep = { schedule: [0, 10_000], random: () => 0.5, limit: 1_000 };
const stored = 5_000;

const ledger = eachTest(createSeededLedger, (one) => one.close());

// As in the first minutes of a new database, and in one that was restored from a dump.
it("claims, records and sweeps without reading all deliveries, though the planner knows nothing of them", async () => {
  await ledger.addDispatcher(100);
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.sql(
    `WITH notified AS (
       INSERT INTO notification (id, business_id, round, state, event, body)
       SELECT gen_random_uuid(), $1, 0, 'confirmed', 'transaction.deposit', '{}' FROM generate_series(1, $3)
       RETURNING id, business_id
     )
     INSERT INTO delivery (id, notification_id, business_id, webhook_id, status, attempts, due_at)
     SELECT gen_random_uuid(), id, business_id, $2, 'delivered', 1, now() FROM notified`,
    [webhook.businessId, webhook.webhookId, stored],
  );
  await ledger.addDeliveries(webhook, { count: 10 });
  const before = await rowsRead();

  const db = openDatabase({ databaseUrl: ledger.url, poolSize: 1 });
  const known = await backends();
  const [claim] = await claimDeliveries(db, limits);
  const token = claim?.token ?? "";
  const unbegun = await listUnbegunClaims(db, { ...limits, olderThanMs: 0, limit: 1_000 });
  const sends = await beginClaims(statementsOf(db).$queryRaw, {
    tokens: [token],
    leaseLeftMs: 20_000,
  });
  await recordAttempts(db, recordsOf({ token, sends }, 200));
  expect(await sweepClaims(db, sweep)).toEqual({ freed: 0, postponed: 0 });
  expect([unbegun.length, sends.length]).toEqual([1, 10]);
  await clientsOf(db).pool.end();

  // What a connection has read is counted at the latest when it ends.
  const hasEnded = async () => (await backends()).every((pid) => known.includes(pid));
  await waitFor(hasEnded, { what: "the end of the connection", timeoutMs: 20_000 });
  expect((await rowsRead()) - before).toBeLessThan(stored / 10);
});

async function rowsRead(): Promise<number> {
  await ledger.sql("SELECT pg_stat_force_next_flush(), pg_stat_clear_snapshot()");
  const [row] = await ledger.sql<{ rows: string }>(
    "SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_user_tables WHERE relname = 'delivery'",
  );
  return Number(row?.rows);
}

async function backends(): Promise<number[]> {
  const rows = await ledger.sql<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database()",
  );
  return rows.map(({ pid }) => pid);
}
