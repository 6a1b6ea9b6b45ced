// The durable floor of the latency: the least that keeps our promises. Each announced block with its
// receipts and traces by hash, proved as ours are; one transaction for what it holds; a signed POST
// for each movement; and each attempt on record. After a crash it could go on from its tables.
import pg from "pg";
import { Agent } from "undici";
import { assemble } from "../../src/chain/blocks/asking/assemble.ts";
import type { LoadRules } from "../../src/chain/blocks/asking/load-block.ts";
import { loadCryptography } from "../../src/chain/proof/hashing/cryptography.ts";
import { parseBlock, parseReceipt } from "../../src/chain/rpc/rpc-block.ts";
import { expectedProof } from "../../src/domain/chain/expected-proof.ts";
import { profileOf } from "../../src/domain/chain/profiles/known-profiles.ts";
import type { Movement } from "../../src/domain/money/movement.ts";
import { givenTo, serveParent } from "../process/serve-parent.ts";
import { postSigned } from "../support/post-signed.ts";
import { type Head, watchHeads } from "../support/watch-heads.ts";

const { wsUrl, port, databaseUrl, wallets, secret } = givenTo<"durable-loop">();
const watched = new Set(wallets.map((address) => address.toLowerCase()));
const url = `http://127.0.0.1:${port}/hook`;
const agent = new Agent({ pipelining: 1 });
const pool = new pg.Pool({ connectionString: databaseUrl });
const cryptography = await loadCryptography();
const profile = profileOf(31_337);
const proof = expectedProof(profile, null);
const rules: LoadRules = { proof, profile, tracing: "debug", aliases: new Map() };

await pool.query(`
  CREATE TABLE position (number bigint, hash text);
  CREATE TABLE movement (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), block_number bigint, block_hash text,
    tx_hash text, asset text, sender text, receiver text, amount numeric, ordinal int, UNIQUE (tx_hash, ordinal));
  CREATE TABLE delivery (id uuid PRIMARY KEY, body text, delivered_at timestamptz);
  CREATE TABLE attempt (delivery_id uuid REFERENCES delivery, started_at timestamptz, latency_ms int, status_code int)`);

let working = Promise.resolve();
const client = await watchHeads(wsUrl, (head) => {
  working = working.then(() => onHead(head));
});
serveParent<"durable-loop">(null);

async function onHead({ hash }: Head): Promise<void> {
  const ask = (method: string, ...params: unknown[]) =>
    client.request({ method, params } as Parameters<typeof client.request>[0]) as Promise<unknown>;
  const [answer, receipts, traces] = await Promise.all([
    ask("eth_getBlockByHash", hash, true),
    ask("eth_getBlockReceipts", hash) as Promise<unknown[]>,
    ask("debug_traceBlockByHash", hash, { tracer: "callTracer" }),
  ]);
  const block = parseBlock(answer);
  const parts = { block, host: "node", receipts: receipts.map(parseReceipt), traces };
  const { movements } = assemble({ ...parts, tracing: "debug" }, { cryptography, rules });
  const ours = movements.filter(({ from, to }) => watched.has(from) || watched.has(to));
  const deliveries = await commit(block, ours);
  const attempts = await Promise.all(deliveries.map(post));
  await record(attempts);
}

type Delivery = { id: string; body: string };

async function commit(
  { number, hash, parentHash }: { number: bigint; hash: string; parentHash: string },
  movements: readonly Movement[],
): Promise<Delivery[]> {
  const column = (read: (movement: Movement) => unknown) => movements.map(read);
  const { rows } = await pool.query<Delivery>({
    name: "commit",
    text: `WITH first AS (
        INSERT INTO position SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM position) RETURNING 1
      ), moved AS (
        UPDATE position SET number = $1, hash = $2 WHERE hash = $3 RETURNING 1
      ), written AS (
        INSERT INTO movement (block_number, block_hash, tx_hash, asset, sender, receiver, amount, ordinal)
        SELECT $1, $2, r.* FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::numeric[], $9::int[]) r
        WHERE EXISTS (SELECT FROM moved UNION ALL SELECT FROM first)
        RETURNING *
      )
      INSERT INTO delivery (id, body)
      SELECT id, jsonb_build_object('id', id, 'data', jsonb_build_object('blockNumber', block_number,
        'txHash', tx_hash, 'to', receiver, 'amount', amount::text))::text FROM written
      RETURNING id, body`,
    values: [
      number.toString(),
      hash,
      parentHash,
      column(({ txHash }) => txHash),
      column(({ asset }) => asset),
      column(({ from }) => from),
      column(({ to }) => to),
      column(({ amountAtomic }) => amountAtomic.toString()),
      movements.map((_, index) => index),
    ],
  });
  return rows;
}

type Attempt = { id: string; startedAt: string; latencyMs: number; statusCode: number };

async function post({ id, body }: Delivery): Promise<Attempt> {
  const startedAtMs = Date.now();
  const statusCode = await postSigned(agent, { notificationId: id, url, secret, body });
  const latencyMs = Date.now() - startedAtMs;
  return { id, startedAt: new Date(startedAtMs).toISOString(), latencyMs, statusCode };
}

async function record(attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length === 0) return;
  const ids = attempts.map(({ id }) => id);
  await pool.query({
    name: "record",
    text: `WITH recorded AS (
        INSERT INTO attempt SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::int[], $4::int[])
      )
      UPDATE delivery SET delivered_at = now() WHERE id = ANY($5::uuid[])`,
    values: [
      ids,
      attempts.map(({ startedAt }) => startedAt),
      attempts.map(({ latencyMs }) => latencyMs),
      attempts.map(({ statusCode }) => statusCode),
      attempts.filter(({ statusCode }) => statusCode < 300).map(({ id }) => id),
    ],
  });
}
