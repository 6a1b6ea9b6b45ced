// The durable floor of deliveries: four lanes, each of which claims some with a lease, signs and
// posts them, and records the attempts in one statement. No queue, and one table for what is due.
// What a crash leaves claimed is due again once its lease ends.
import pg from "pg";
import { Agent } from "undici";
import { givenTo, serveParent } from "../process/serve-parent.ts";
import { postSigned } from "../support/post-signed.ts";

const lanes = 4;

const { databaseUrl } = givenTo<"durable-post-loop">();
const pool = new pg.Pool({ connectionString: databaseUrl, max: lanes });
const agent = new Agent({ pipelining: 1 });

await pool.query(`
  CREATE TABLE delivery (id uuid PRIMARY KEY, url text, secret text, body text, claimed_until timestamptz);
  CREATE TABLE due (delivery_id uuid PRIMARY KEY REFERENCES delivery, place bigserial);
  CREATE INDEX ON due (place);
  CREATE TABLE attempt (delivery_id uuid REFERENCES delivery, started_at timestamptz, latency_ms int, status_code int)`);

serveParent<"durable-post-loop">(null, async ({ messages, concurrency }) => {
  await pool.query("TRUNCATE delivery, due, attempt");
  await pool.query(
    `WITH given AS (
      INSERT INTO delivery SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) RETURNING id
    ) INSERT INTO due (delivery_id) SELECT id FROM given`,
    [
      messages.map(({ notificationId }) => notificationId),
      messages.map(({ url }) => url),
      messages.map(({ secret }) => secret),
      messages.map(({ body }) => body),
    ],
  );
  await pool.query("ANALYZE");
  const startedAtMs = Date.now();
  await Promise.all(Array.from({ length: lanes }, () => deliver(concurrency / lanes)));
  return { startedAtMs };
});

type Claimed = { id: string; url: string; secret: string; body: string };
type Attempt = { id: string; startedAt: string; latencyMs: number; statusCode: number };

async function deliver(atOnce: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<Claimed>({
      name: "claim",
      text: `UPDATE delivery SET claimed_until = now() + interval '60 s'
        WHERE id IN (SELECT delivery_id FROM due JOIN delivery d ON d.id = delivery_id
          WHERE d.claimed_until IS NULL OR d.claimed_until < now()
          ORDER BY place LIMIT $1 FOR UPDATE SKIP LOCKED)
        RETURNING id, url, secret, body`,
      values: [atOnce],
    });
    if (rows.length === 0) return;
    await record(await Promise.all(rows.map(post)));
  }
}

async function post({ id, ...message }: Claimed): Promise<Attempt> {
  const startedAtMs = Date.now();
  const statusCode = await postSigned(agent, { notificationId: id, ...message });
  const latencyMs = Date.now() - startedAtMs;
  return { id, startedAt: new Date(startedAtMs).toISOString(), latencyMs, statusCode };
}

async function record(attempts: readonly Attempt[]): Promise<void> {
  await pool.query({
    name: "record",
    text: `WITH recorded AS (
        INSERT INTO attempt SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::int[], $4::int[])
      )
      DELETE FROM due WHERE delivery_id = ANY($5::uuid[])`,
    values: [
      attempts.map(({ id }) => id),
      attempts.map(({ startedAt }) => startedAt),
      attempts.map(({ latencyMs }) => latencyMs),
      attempts.map(({ statusCode }) => statusCode),
      attempts.filter(({ statusCode }) => statusCode < 300).map(({ id }) => id),
    ],
  });
}
