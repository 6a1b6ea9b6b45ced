// What a recovery of very many notifications costs PostgreSQL, and a neighbour: the preview, then
// one batch after the other without the pause that the relay makes between two, while a relay
// claims. Nothing is sent: each claim is given back at once. Prints seconds, rows a second, the
// longest transaction, and how the claims fared before, meanwhile and after.
// Usage: node scripts/run.mjs recovery-cost [--quick] [--rows 1000000] [--quiet 300] [--everyMs 20]
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { claimDeliveries } from "../../src/ledger/deliveries/claim-deliveries.ts";
import { emptyMemory } from "../../src/ledger/deliveries/claim-memory.ts";
import { beginRecovery, recoverSome } from "../../src/ledger/deliveries/recover.ts";
import { previewRecovery } from "../../src/ledger/deliveries/recoverable.ts";
import { migrate } from "../../src/ledger/installation/migrate.ts";
import { clientsOf, closeDatabase, openDatabase } from "../../src/ledger/postgres/database.ts";
import { inTransaction } from "../../src/ledger/postgres/transaction.ts";
import { openCluster } from "../../test/support/ledger/cluster.ts";
import { median } from "../runner/alternate.ts";
import { numberOptions } from "./number-options.ts";

const options = numberOptions(
  { rows: 1_000_000, quiet: 300, everyMs: 20 },
  { rows: 20_000, quiet: 30, everyMs: 20 },
);
const limits = {
  aheadShare: 1,
  webhookLimit: 200,
  inFlight: 10,
  leaseMs: 60_000,
  leaseLeftMs: 20_000,
  direct: 0,
  dispatcherSilentMs: 3_600_000,
  random: Math.random,
};
const since = new Date("2026-01-01T00:00:00Z");
const insertedAtOnce = 100_000;

const business = `
  WITH b AS (INSERT INTO business (id, name) VALUES ($1, 'Bench'))
  INSERT INTO webhook (id, business_id, url, secret_ciphertext, answered_at)
  VALUES ($2, $1, 'https://a.example/', 'x', now())`;

/** Notifications from place `$3` to `$4` with a delivery each, of the status `$5`. */
const deliveries = `
  WITH n AS (
    INSERT INTO notification (id, business_id, round, state, event, body, created_at)
    SELECT gen_random_uuid(), $1, 0, 'confirmed', 'transaction.deposit', '{}', '${since.toISOString()}'::timestamptz + i * interval '16 ms'
    FROM generate_series($3::int, $4::int - 1) i RETURNING id, created_at
  )
  INSERT INTO delivery (id, notification_id, business_id, webhook_id, status, attempts)
  SELECT gen_random_uuid(), id, $1, $2, $5, 7 FROM n ORDER BY created_at`;

const giveBack =
  "UPDATE delivery SET claim_token = NULL, claim_expires_at = NULL WHERE claim_token IS NOT NULL";

const print = (line: string) => process.stdout.write(`${line}\n`);
const shown = (ms: number) => `${ms.toFixed(0)} ms`;

const cluster = await openCluster();
try {
  const databaseUrl = await cluster.createDatabase("recovery_cost");
  await migrate({ databaseUrl });
  const db = openDatabase({ databaseUrl, poolSize: 4 });
  try {
    await measure(db);
  } finally {
    await closeDatabase(db);
  }
} finally {
  await cluster.end();
}

async function measure(db: ReturnType<typeof openDatabase>): Promise<void> {
  const { pool: sql } = clientsOf(db);
  const own = { businessId: randomUUID(), webhookId: randomUUID() };
  const neighbour = { businessId: randomUUID(), webhookId: randomUUID() };
  for (const one of [own, neighbour]) await sql.query(business, [one.businessId, one.webhookId]);
  await sql.query(
    "INSERT INTO dispatcher (id, slots, seen_at) VALUES (gen_random_uuid(), 200, now())",
  );
  const insert = (of: typeof own, from: number, to: number, status: string) =>
    sql.query(deliveries, [of.businessId, of.webhookId, from, to, status]);
  await insert(neighbour, 0, 10, "waiting");
  for (let from = 0; from < options.rows; from += insertedAtOnce)
    await insert(own, from, Math.min(from + insertedAtOnce, options.rows), "exhausted");
  await sql.query("VACUUM ANALYZE");

  const memory = emptyMemory();
  /** The ms of a claim, and whether the neighbour had something of it. */
  async function claimOnce() {
    const beganMs = performance.now();
    const claims = await claimDeliveries(db, limits, memory);
    const ms = performance.now() - beganMs;
    await sql.query(giveBack);
    return { ms, isServed: claims.some((one) => one.webhookIds.includes(neighbour.webhookId)) };
  }
  /** Claims one after the other, until `isOver`, and prints how they fared. */
  async function claimUntil(what: string, isOver: (claims: number) => boolean) {
    const times: number[] = [];
    let unserved = 0;
    while (!isOver(times.length)) {
      const { ms, isServed } = await claimOnce();
      times.push(ms);
      if (!isServed) unserved += 1;
      await sleep(options.everyMs);
    }
    times.sort((a, b) => a - b);
    const at = (part: number) => shown(times[Math.floor((times.length - 1) * part)] ?? Number.NaN);
    print(
      `claims ${what}: p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}; ${times.length} claims, ${unserved} of them without the neighbour`,
    );
  }
  const isQuiet = (claims: number) => claims >= options.quiet;

  await claimUntil("before", isQuiet);
  const asked = { since, until: null };
  const previewedAtMs = performance.now();
  const preview = await previewRecovery(db, own, asked);
  const least = preview.hasMore ? "at least " : "";
  print(`preview: ${shown(performance.now() - previewedAtMs)}, ${least}${preview.count}`);

  let isRecovered = false;
  const beside = claimUntil("meanwhile", () => isRecovered);
  const beganMs = performance.now();
  const transactions: number[] = [];
  async function timed<T>(work: () => Promise<T>): Promise<T> {
    const startMs = performance.now();
    const result = await work();
    transactions.push(performance.now() - startMs);
    return result;
  }
  let { queued, id } = await timed(() => inTransaction(db, (tx) => beginRecovery(tx, own, asked)));
  for (;;) {
    const some = await timed(() => recoverSome(db, id));
    if (some === null) break;
    queued += some;
  }
  const seconds = (performance.now() - beganMs) / 1_000;
  isRecovered = true;
  const [first = Number.NaN, ...others] = transactions;
  print(
    `recovery: ${queued} queued in ${seconds.toFixed(1)} s, ${Math.round(queued / seconds)} a second; ${transactions.length} transactions: the first ${shown(first)}, then median ${shown(median(others))}, the longest ${shown(Math.max(...others))}`,
  );
  await beside;
  await claimUntil("after", isQuiet);
}
