// What one claim of due deliveries costs PostgreSQL: statements, buffers and ms, while so many
// businesses have something due, and again after deliveries have come and gone under a snapshot that
// somebody keeps open. A hundred thousand retries wait that are not due. The last line of figures is
// of the most businesses, each with several webhooks, and as many deliveries in all. Usage: node
// scripts/run.mjs claim-cost [--later 100000] [--rounds 15] [--gone 4800] [--inFlight 10] [--most
// 2000] [--each 4]
import pg from "pg";
import { claimDeliveries } from "../../src/ledger/deliveries/claim-deliveries.ts";
import { emptyMemory } from "../../src/ledger/deliveries/claim-memory.ts";
import { migrate } from "../../src/ledger/installation/migrate.ts";
import { clientsOf, closeDatabase, openDatabase } from "../../src/ledger/postgres/database.ts";
import { openCluster } from "../../test/support/ledger/cluster.ts";
import { median } from "../runner/alternate.ts";
import { numberOptions } from "./number-options.ts";

const options = numberOptions({
  later: 100_000,
  rounds: 15,
  gone: 4_800,
  inFlight: 10,
  most: 2_000,
  each: 4,
});
const slots = 200;
const limits = {
  aheadShare: 1,
  webhookLimit: 200,
  inFlight: options.inFlight,
  leaseMs: 60_000,
  leaseLeftMs: 20_000,
  direct: 0,
  dispatcherSilentMs: 3_600_000,
  random: Math.random,
};

/** `$1` businesses, each with `$2` webhooks. */
const businesses = `
  WITH b AS (
    INSERT INTO business (id, name) SELECT gen_random_uuid(), 'Bench' FROM generate_series(1, $1) RETURNING id
  )
  INSERT INTO webhook (id, business_id, is_additional, url, secret_ciphertext, answered_at)
  SELECT gen_random_uuid(), id, s.number > 1, 'https://a.example/', 'x', now()
  FROM b, generate_series(1, $2) AS s(number)`;

/**
 * `$1` deliveries for each webhook, those of one after those of all others, as commits of blocks
 * leave them.
 */
const deliveries = (attempts: number, due: string) => `
  WITH one AS (
    SELECT gen_random_uuid() AS id, w.id AS webhook_id, w.business_id
    FROM generate_series(1, $1) WITH ORDINALITY s, webhook w ORDER BY s.ordinality, w.id
  ), n AS (
    INSERT INTO notification (id, business_id, round, state, event, body)
    SELECT id, business_id, 0, 'confirmed', 'transaction.deposit', '{}' FROM one
  )
  INSERT INTO delivery (id, notification_id, business_id, webhook_id, attempts, due_at)
  SELECT gen_random_uuid(), id, business_id, webhook_id, ${attempts}, ${due} FROM one`;

const buffers = `
  SELECT sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0))::int AS n
  FROM pg_statio_user_tables WHERE relname IN ('delivery', 'webhook', 'business', 'dispatcher', 'due_delivery', 'webhook_turn')`;

const mark = "UPDATE webhook SET mark = mark + 1, last_success_at = now(), answered_at = now()";
const giveBack = `UPDATE delivery SET claim_token = NULL, claim_expires_at = NULL WHERE claim_token IS NOT NULL`;
const deliver = `UPDATE delivery SET status = 'delivered', claim_token = NULL, claim_expires_at = NULL
  WHERE claim_token IS NOT NULL`;

const cluster = await openCluster({ autovacuum: "off" });
try {
  for (const count of [1, 100, 2_000].filter((one) => one <= options.most)) await measure(count, 1);
  await measure(options.most, options.each);
  await compare(options.most, options.each);
} finally {
  await cluster.end();
}

/** The figures of one claim. */
type Run = { ms: number; statements: number; taken: number; buffers: number };

type World = Awaited<ReturnType<typeof open>>;

/** A database in which so many deliveries are due at each of so many webhooks. */
async function open(name: string, count: number, each: number) {
  const webhooks = count * each;
  const databaseUrl = await cluster.createDatabase(`${name}_${count}_${each}`);
  await migrate({ databaseUrl });
  const db = openDatabase({ databaseUrl, poolSize: 1 });
  const { pool: sql } = clientsOf(db);
  const memory = emptyMemory();
  let statements = 0;
  // The pool has one connection, so its round trips are all there are.
  const only = await sql.connect();
  const { query } = only;
  Object.assign(only, {
    query(...given: never) {
      statements += 1;
      return query.apply(only, given);
    },
  });
  only.release();
  const number = async (text: string) => (await sql.query<{ n: number }>(text)).rows[0]?.n ?? 0;
  const seen = async () => {
    await sql.query("SELECT pg_stat_force_next_flush()");
    return number(buffers);
  };

  async function claimOnce(): Promise<Run> {
    const before = await seen();
    statements = 0;
    const beganMs = performance.now();
    const claims = await claimDeliveries(db, limits, memory);
    const ms = performance.now() - beganMs;
    const asked = statements;
    const taken = claims.reduce((sum, one) => sum + one.deliveries, 0);
    return { ms, statements: asked, taken, buffers: (await seen()) - before };
  }

  await sql.query(businesses, [count, each]);
  await sql.query(
    "INSERT INTO dispatcher (id, slots, seen_at) VALUES (gen_random_uuid(), $1, now())",
    [slots],
  );
  await sql.query(deliveries(1, "now() + interval '1 hour'"), [
    Math.ceil(options.later / webhooks),
  ]);
  await sql.query(deliveries(0, "now()"), [Math.ceil(20 / each)]);
  await sql.query("VACUUM ANALYZE");
  return { count, each, databaseUrl, db, sql, memory, claimOnce, close: () => closeDatabase(db) };
}

function print({ count, each }: World, what: string, runs: readonly Run[]): void {
  const of = (key: keyof Run) => median(runs.map((run) => run[key]));
  const figures = `${of("ms").toFixed(1)} ms, ${of("buffers")} buffers, ${of("statements")} statements, ${of("taken")} taken`;
  process.stdout.write(`${count} businesses x ${each}, ${what}: ${figures}\n`);
}

/** Claims once, and gives back what was claimed. */
async function claimAndGiveBack({ sql, claimOnce }: World): Promise<Run> {
  const run = await claimOnce();
  await sql.query(giveBack);
  for (const table of ["delivery", "webhook"]) await sql.query(`VACUUM ${table}`);
  return run;
}

/** Claims of businesses with one webhook each and with several, in turn. */
async function compare(count: number, each: number): Promise<void> {
  const worlds = [await open("turns", count, 1), await open("turns", count, each)];
  const all = worlds.map((world) => ({ world, runs: [] as Run[] }));
  try {
    for (let round = 0; round < options.rounds; round += 1)
      for (const { world, runs } of all) runs.push(await claimAndGiveBack(world));
    for (const { world, runs } of all) print(world, "in turn", runs.slice(2));
  } finally {
    for (const world of worlds) await world.close();
  }
}

async function measure(count: number, each: number): Promise<void> {
  const webhooks = count * each;
  const world = await open("claims", count, each);
  const { databaseUrl, db, sql, memory, claimOnce } = world;

  async function rounds(what: string, claim: (world: World) => Promise<Run>) {
    const runs: Run[] = [];
    for (let round = 0; round < options.rounds; round += 1) runs.push(await claim(world));
    print(world, what, runs.slice(2));
  }

  /** Deliveries come and go, and the last ones are measured. */
  async function flow(what: string, perWebhook: number, most: number) {
    const runs = [];
    for (let gone = 0; gone < most; ) {
      await sql.query(deliveries(0, "now()"), [perWebhook]);
      await sql.query(mark);
      for (let taken = -1; taken !== 0; gone += taken) {
        const run = await claimOnce();
        ({ taken } = run);
        if (taken > 0) runs.push(run);
        await sql.query(deliver);
      }
    }
    print(world, what, runs.slice(-9));
  }

  try {
    await rounds("something due at each", claimAndGiveBack);
    // All slots are taken: what a claim costs that can take nothing.
    while ((await claimDeliveries(db, { ...limits, inFlight: 1_000 }, memory)).length > 0);
    await rounds("no slot free", claimOnce);
    await sql.query(giveBack);
    await sql.query("UPDATE delivery SET status = 'delivered' WHERE attempts = 0");
    await sql.query("VACUUM ANALYZE");
    await rounds("nothing due", claimOnce);

    const perWebhook = Math.max(1, Math.floor(100 / webhooks));
    await flow("quiet", perWebhook, 300);
    const holder = new pg.Client({ connectionString: databaseUrl });
    await holder.connect();
    await holder.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM business");
    await flow(`after ${options.gone} deliveries under an old snapshot`, perWebhook, options.gone);
    await holder.end();
  } finally {
    await world.close();
  }
}
