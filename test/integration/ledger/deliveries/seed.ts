import { randomUUID } from "node:crypto";
import type pg from "pg";
import { encryptSecret, newWebhookSecret } from "../../../../src/domain/webhook/secret.ts";
import { clientsOf } from "../../../../src/ledger/postgres/database.ts";
import { keyringOf } from "../../../support/keyring.ts";
import { openKeptDatabase } from "../../../support/ledger/kept-database.ts";

export const keyring = keyringOf(7);

/** Of a claim, where a test has no others. */
export const limits = {
  aheadShare: 0,
  webhookLimit: 100,
  inFlight: 10,
  leaseMs: 60_000,
  leaseLeftMs: 20_000,
  direct: 0,
  dispatcherSilentMs: 15_000,
  random: () => 0,
};

export type Row = {
  id: string;
  notification_id: string;
  webhook_id: string;
  status: string;
  attempts: number;
  claim_token: string | null;
  unrecorded: number;
  due_in_ms: number;
};

export type Seeded = Awaited<ReturnType<typeof createSeededLedger>>;

/** A migrated database of its own, and the rows that the deposit side would have written. */
export async function createSeededLedger() {
  const { db, url, stop } = await openKeptDatabase();
  const { pool } = clientsOf(db);

  async function sql<T extends pg.QueryResultRow>(text: string, values: unknown[] = []) {
    return (await pool.query<T>(text, values)).rows;
  }

  async function insertWebhook(businessId: string, url: string, isAdditional: boolean) {
    const webhookId = randomUUID();
    const secret = newWebhookSecret();
    await sql(
      `INSERT INTO webhook (id, business_id, is_additional, url, secret_ciphertext, answered_at)
       VALUES ($1, $2, $3, $4, $5, now())`,
      [webhookId, businessId, isAdditional, url, encryptSecret(keyring, secret, businessId)],
    );
    return { businessId, webhookId, secret };
  }

  return {
    db,
    url,
    sql,

    /** A business with a webhook at that URL, whose receiver is known to answer. */
    async addWebhook(own: { url: string; inFlight?: number }) {
      const businessId = randomUUID();
      await sql("INSERT INTO business (id, name, in_flight) VALUES ($1, 'Test', $2)", [
        businessId,
        own.inFlight ?? null,
      ]);
      return insertWebhook(businessId, own.url, false);
    },

    /** Another webhook of a business, whose receiver is known to answer. */
    addAdditionalWebhook: (businessId: string, url: string) => insertWebhook(businessId, url, true),

    /**
     * Deliveries in ledger order, each of a notification of its own; with attempts they are
     * retries.
     */
    async addDeliveries(
      webhook: { businessId: string; webhookId: string },
      own: { count: number; attempts?: number; dueInMs?: number; maxAttempts?: number },
    ): Promise<string[]> {
      const ids = Array.from({ length: own.count }, () => randomUUID());
      await sql(
        `WITH given AS (
           SELECT id, gen_random_uuid() AS notification_id, place FROM unnest($1::uuid[]) WITH ORDINALITY AS one (id, place)
         ), written AS (
           INSERT INTO notification (id, business_id, round, state, event, body)
           SELECT notification_id, $2, 0, 'confirmed', 'transaction.deposit',
             format('{"id":"%s","event":"transaction.deposit","index":%s}', notification_id, place - 1)
           FROM given ORDER BY place
         )
         INSERT INTO delivery
           (id, notification_id, business_id, webhook_id, is_additional, listed_at, attempts, max_attempts, due_at)
         SELECT g.id, g.notification_id, $2, w.id, w.is_additional, CASE WHEN w.is_additional THEN now() END,
           $4, $5, now() + $6 * interval '1 ms'
         FROM given g, webhook w WHERE w.id = $3 ORDER BY g.place`,
        [
          ...[ids, webhook.businessId, webhook.webhookId],
          ...[own.attempts ?? 0, own.maxAttempts ?? null, own.dueInMs ?? 0],
        ],
      );
      await sql("SELECT pg_notify('chainbell_outbox', '')");
      return ids;
    },

    async addDispatcher(slots: number): Promise<string> {
      const id = randomUUID();
      await sql("INSERT INTO dispatcher (id, slots, seen_at) VALUES ($1, $2, now())", [id, slots]);
      return id;
    },

    deliveries: () =>
      sql<Row>(
        `SELECT *, (extract(epoch FROM due_at - now()) * 1000)::int AS due_in_ms
         FROM delivery ORDER BY seq`,
      ),

    close: stop,
  };
}
