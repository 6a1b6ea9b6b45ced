import { expect, it } from "vitest";
import { beginClaims } from "../../../../src/ledger/deliveries/begin-claims.ts";
import { claimDeliveries } from "../../../../src/ledger/deliveries/claim-deliveries.ts";
import { listUnbegunClaims, sweepClaims } from "../../../../src/ledger/deliveries/reclaim.ts";
import { recordAttempts } from "../../../../src/ledger/deliveries/record-attempts.ts";
import { clientsOf } from "../../../../src/ledger/postgres/database.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { eachTest } from "../../../support/each-test.ts";
import { type Database, openDatabase } from "../../../support/ledger/database.ts";
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
  await addDelivered(webhook);
  await ledger.addDeliveries(webhook, { count: 10 });
  const before = await rowsRead();

  const db = open();
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
  await endRead(db);
  expect((await rowsRead()) - before).toBeLessThan(stored / 10);
});

it("records without reading all deliveries, though it was planned when there were few", async () => {
  await ledger.addDispatcher(100);
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  const [claimer, recorder] = [open(), open()];
  const claim = async () => {
    await ledger.addDeliveries(webhook, { count: 1 });
    const [made] = await claimDeliveries(claimer, { ...limits, direct: 1 });
    return recordsOf({ token: made?.token ?? "", sends: made?.begun ?? [] }, 200);
  };
  // Once such a table is vacuumed, it counts as so small that all of it is read.
  await recordAttempts(recorder, await claim());
  await ledger.sql("VACUUM ANALYZE");
  // From the sixth time on PostgreSQL keeps one plan for all values.
  for (let time = 0; time < 8; time += 1) await recordAttempts(recorder, await claim());
  const records = await claim();
  await addDelivered(webhook);
  await endRead(claimer);
  const before = await rowsRead();
  expect(await recordAttempts(recorder, records)).toMatchObject({
    movedDeliveryIds: records.map(({ deliveryId }) => deliveryId),
  });
  await endRead(recorder);
  expect((await rowsRead()) - before).toBeLessThan(stored / 10);
});

function addDelivered({ businessId, webhookId }: { businessId: string; webhookId: string }) {
  return ledger.sql(
    `WITH notified AS (
       INSERT INTO notification (id, business_id, round, state, event, body)
       SELECT gen_random_uuid(), $1, 0, 'confirmed', 'transaction.deposit', '{}' FROM generate_series(1, $3)
       RETURNING id, business_id
     )
     INSERT INTO delivery (id, notification_id, business_id, webhook_id, status, attempts, due_at)
     SELECT gen_random_uuid(), id, business_id, $2, 'delivered', 1, now() FROM notified`,
    [businessId, webhookId, stored],
  );
}

/** One connection. */
const open = () => openDatabase({ databaseUrl: ledger.url, poolSize: 1 });

/** What a connection has read is counted at the latest when it ends. */
async function endRead(db: Database): Promise<void> {
  const [own] = await statementsOf(db).$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  await clientsOf(db).pool.end();
  const hasEnded = async () => {
    const sql = "SELECT FROM pg_stat_activity WHERE pid = $1";
    return (await ledger.sql(sql, [own?.pid])).length === 0;
  };
  await waitFor(hasEnded, { what: "the end of the connection", timeoutMs: 20_000 });
}

async function rowsRead(): Promise<number> {
  await ledger.sql("SELECT pg_stat_force_next_flush(), pg_stat_clear_snapshot()");
  const [row] = await ledger.sql<{ rows: string }>(
    "SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_user_tables WHERE relname = 'delivery'",
  );
  return Number(row?.rows);
}
