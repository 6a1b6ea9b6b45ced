import pg from "pg";
import type { FilledBusiness } from "../ledger/fill-history.ts";

/** Of a thousand notifications, so many that no receiver heard, and that are still to be sent. */
const inThousand = { exhausted: 10, waiting: 5 };

const businesses = 1_000;
const auditEntries = 100_000;

/** Each a statement that PostgreSQL runs by itself; $1 is the business. */
const steps: readonly { what: string; text: string; values: "business" | "none" }[] = [
  {
    what: "webhooks",
    values: "business",
    text: `INSERT INTO webhook (id, business_id, url, secret_ciphertext, last_success_at)
      SELECT md5('webhook' || id)::uuid, id, 'https://shop.example/webhook', 'none', now() FROM business WHERE id = $1::uuid`,
  },
  {
    what: "notifications",
    values: "none",
    text: `INSERT INTO notification (id, business_id, transaction_id, state, event, body, created_at)
      SELECT (substr(id::text, 1, 14) || '7' || substr(md5(id::text), 1, 3) || '-8' || substr(md5(id::text), 4, 3) || '-' || substr(md5(id::text), 7, 12))::uuid,
        business_id, id, CASE status WHEN 'reversed' THEN 'reversed' ELSE 'confirmed' END,
        'transaction.' || CASE status WHEN 'reversed' THEN 'reversed' ELSE type END,
        json_build_object('id', id, 'event', 'transaction.' || type, 'transaction_id', id, 'tx_hash', tx_hash,
          'amount', amount::text, 'from_address', from_address, 'to_address', to_address, 'blockchain', chain_name,
          'block_number', block_number, 'wallet_id', wallet_id, 'status', status)::text,
        block_time + interval '40 s'
      FROM transaction WHERE type IN ('deposit', 'withdrawal', 'payment') AND status IN ('completed', 'reversed')`,
  },
  {
    what: "deliveries",
    values: "business",
    text: `INSERT INTO delivery (id, notification_id, business_id, webhook_id, status, attempts, due_at, delivered_at, created_at)
      SELECT md5('delivery' || n.id)::uuid, n.id, n.business_id, md5('webhook' || $1)::uuid, n.status,
        CASE n.status WHEN 'exhausted' THEN 8 WHEN 'waiting' THEN n.x % 3 ELSE 1 END, now() + interval '1 year',
        CASE n.status WHEN 'delivered' THEN n.created_at END, n.created_at
      FROM (
        SELECT id, business_id, created_at, x, CASE WHEN x < ${inThousand.exhausted} THEN 'exhausted'
          WHEN x < ${inThousand.exhausted + inThousand.waiting} THEN 'waiting' ELSE 'delivered' END AS status
        FROM (SELECT *, abs(hashtext(id::text)) % 1000 AS x FROM notification) m
        ORDER BY created_at
      ) n`,
  },
  {
    what: "attempts",
    values: "none",
    text: `INSERT INTO attempt (delivery_id, webhook_id, number, started_at, latency_ms, status_code, response)
      SELECT d.id, d.webhook_id, i, d.created_at, 20 + abs(hashtext(d.id::text)) % 400,
        CASE d.status WHEN 'delivered' THEN 204 ELSE 503 END, 'answer'
      FROM delivery d CROSS JOIN LATERAL generate_series(1, d.attempts) i ORDER BY d.seq, i`,
  },
  {
    what: "entries of the ledger",
    values: "none",
    text: `INSERT INTO ledger_entry (wallet_id, asset_id, transaction_id, kind, amount, block_number, created_at)
      SELECT wallet_id, asset_id, id, 'confirmation', CASE direction WHEN 'in' THEN amount ELSE -amount END, block_number, block_time
      FROM transaction WHERE status = 'completed'`,
  },
  {
    what: "blocks",
    values: "none",
    text: `INSERT INTO block (chain_name, number, hash, parent_hash, time)
      SELECT DISTINCT ON (chain_name, block_number) chain_name, block_number, block_hash, block_hash, block_time FROM transaction
      WHERE block_number % 100 < 2`,
  },
  {
    what: "businesses",
    values: "none",
    text: `INSERT INTO business (id, name, verified_at)
      SELECT md5('business' || i)::uuid, 'Business ' || i, now() FROM generate_series(1, ${businesses}) i`,
  },
  {
    what: "audit entries",
    values: "business",
    text: `INSERT INTO audit_entry (id, at, actor, via, action, subject, details, business_id)
      SELECT (lpad(to_hex(1700000000000 + i * 1000), 12, '0') || '7' || substr(h, 1, 3) || '8' || substr(h, 4, 15))::uuid,
        to_timestamp(1700000000 + i), 'bench', 'http', (ARRAY['business.set', 'key.create', 'wallet.add', 'webhook.set'])[1 + i % 4],
        NULL, '{}', CASE i % 10 WHEN 0 THEN $1::uuid END
      FROM (SELECT i, md5('audit' || i) AS h FROM generate_series(1::bigint, ${auditEntries}) i) a`,
  },
];

/**
 * What a console shows beside the transactions that are there already: notifications with their
 * deliveries, attempts and entries of the ledger for each, and a thousand other businesses. The
 * wallets have labels and references.
 */
export async function fillConsole(
  databaseUrl: string,
  { businessId }: Pick<FilledBusiness, "businessId">,
  report: (text: string) => void,
): Promise<void> {
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  try {
    // What refers to a row exists, and nothing of the ledger's own bookkeeping is looked at: it is
    // not done for each of them.
    await db.query("SET session_replication_role = replica");
    for (const { what, text, values } of steps) {
      const { rowCount } = await db.query(text, values === "business" ? [businessId] : []);
      report(`${(rowCount ?? 0).toLocaleString("en")} ${what} written`);
    }
    await db.query(
      "UPDATE wallet SET label = 'Customer ' || left(id::text, 13), reference = 'order-' || abs(hashtext(id::text))",
    );
    await db.query("VACUUM ANALYZE");
  } finally {
    await db.end();
  }
}
