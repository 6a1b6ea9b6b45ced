import { randomUUID } from "node:crypto";
import pg from "pg";
import { encryptSecret, newWebhookSecret } from "../../../../src/domain/webhook/secret.ts";
import { keyringOf } from "../../../support/keyring.ts";
import { type Database, openDatabase } from "../../../support/ledger/database.ts";
import { createTestDatabase } from "../../../support/ledger/postgres.ts";

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
  const database = await createTestDatabase();
  const db: Database = openDatabase({ databaseUrl: database.url, poolSize: 6 });
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  pool.on("error", () => {});

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
    url: database.url,
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
      const ids: string[] = [];
      for (let index = 0; index < own.count; index += 1) {
        const [id, notificationId] = [randomUUID(), randomUUID()];
        const body = JSON.stringify({ id: notificationId, event: "transaction.deposit", index });
        await sql(
          `INSERT INTO notification (id, business_id, round, state, event, body)
           VALUES ($1, $2, 0, 'confirmed', 'transaction.deposit', $3)`,
          [notificationId, webhook.businessId, body],
        );
        await sql(
          `INSERT INTO delivery
             (id, notification_id, business_id, webhook_id, is_additional, attempts, max_attempts, due_at)
           SELECT $1, $2, $3, id, is_additional, $5, $6, now() + $7 * interval '1 ms'
           FROM webhook WHERE id = $4`,
          [
            ...[id, notificationId, webhook.businessId, webhook.webhookId],
            ...[own.attempts ?? 0, own.maxAttempts ?? null, own.dueInMs ?? 0],
          ],
        );
        ids.push(id);
      }
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

    async close() {
      await db.$disconnect();
      await pool.end();
      await database.drop();
    },
  };
}
