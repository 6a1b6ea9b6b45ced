import { beforeEach, describe, expect, it } from "vitest";
import type { RecoveryAsked } from "../../../../src/domain/delivery/delivery.ts";
import { lookedAtOnce } from "../../../../src/domain/delivery/recovery.ts";
import type { WebhookFilter } from "../../../../src/domain/webhook/filter.ts";
import { previewRecovery } from "../../../../src/ledger/deliveries/recoverable.ts";
import { clientsOf, closeDatabase } from "../../../../src/ledger/postgres/database.ts";
import { allTests } from "../../../support/each-test.ts";
import { openDatabase } from "../../../support/ledger/database.ts";
import { insertBusiness, openTestLedger } from "../../../support/ledger/ledger-fixtures.ts";
import { beginRecovery, changeWebhook, registerWebhook } from "../../../support/ledger/steps.ts";

/** A ledger with one connection, whose own counts are all there are. */
const ledger = allTests(
  async () => {
    const whole = await openTestLedger();
    return { ...whole, only: openDatabase({ databaseUrl: whole.url, poolSize: 1 }) };
  },
  async ({ only, stop }) => {
    await closeDatabase(only);
    await stop();
  },
);

const since = new Date("2026-01-01T00:00:00Z");
const at = (place: number) => new Date(since.getTime() + place * 1_000);

let name: { businessId: string; webhookId: string };

async function beginBusiness(): Promise<void> {
  const businessId = await insertBusiness(ledger.db);
  const registration = { businessId, url: "https://a.example/", secretCiphertext: "sealed" };
  const { webhook } = await registerWebhook(ledger.db, registration);
  name = { businessId, webhookId: webhook.id };
}

beforeEach(beginBusiness);

/** Deliveries of notifications that were written a second apart, from one place to before another. */
async function insert(from: number, to: number, status = "exhausted"): Promise<void> {
  const { businessId, webhookId } = name;
  await clientsOf(ledger.only).pool.query(
    `WITH written AS (
      INSERT INTO notification (id, business_id, state, event, body, created_at)
      SELECT gen_random_uuid(), $1, 'confirmed', 'transaction.deposit', '{"data":{}}',
        $2::timestamptz + i * interval '1 second' FROM generate_series($3::int, $4::int - 1) i RETURNING id
    )
    INSERT INTO delivery (id, notification_id, business_id, webhook_id, status)
    SELECT gen_random_uuid(), id, $1, $5, $6 FROM written`,
    [businessId, since, from, to, webhookId, status],
  );
}

const preview = (asked: Partial<RecoveryAsked> = {}) =>
  previewRecovery(ledger.only, name, { since, until: null, ...asked });

/** All rows and entries of indexes that were read so far, of notifications and their deliveries. */
async function readSoFar(): Promise<number> {
  const { pool } = clientsOf(ledger.only);
  await pool.query("SELECT pg_stat_force_next_flush()");
  const { rows } = await pool.query<{ read: string }>(
    `SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname IN ('notification', 'delivery'))
      + (SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname IN ('notification', 'delivery')) AS read`,
  );
  return Number(rows[0]?.read);
}

// First of all: PostgreSQL has no statistics yet.
it("a batch among very many notifications reads little more than it queues again", async () => {
  await insert(0, 6 * lookedAtOnce);
  const before = await readSoFar();
  expect(await beginRecovery(ledger.only, name, { since, until: null })).toMatchObject({
    queued: 1_000,
  });
  // Their times, and a few rows for each that is queued again.
  expect(((await readSoFar()) - before) / lookedAtOnce).toBeLessThan(2);
});

it("a change of the order among very many notifications reads only what waits", async () => {
  await insert(0, 500, "waiting");
  const before = await readSoFar();
  await changeWebhook(ledger.only, name, { isOrdered: true });
  expect(((await readSoFar()) - before) / 500).toBeLessThan(20);
});

// Whatever the planner takes the tables for.
it.each(["before PostgreSQL has statistics", "with statistics of now"])(
  "a preview among very many notifications reads a bounded number of rows %s",
  async (when) => {
    await insert(0, 6 * lookedAtOnce);
    if (when.startsWith("with ")) await ledger.db.$executeRaw`ANALYZE notification, delivery`;
    async function rowsRead(filter: WebhookFilter | undefined, expected: number): Promise<number> {
      const before = await readSoFar();
      const asked = filter === undefined ? {} : { filter };
      expect(await preview(asked)).toMatchObject({ count: expected, hasMore: true });
      return ((await readSoFar()) - before) / lookedAtOnce;
    }
    // Each of them for its time, for its deliveries, and these; a few beside.
    const all = await rowsRead(undefined, lookedAtOnce);
    expect(all).toBeGreaterThanOrEqual(2);
    expect(all).toBeLessThan(3.1);
    // The same once more, with each body and the delivery that it is read for.
    expect(await rowsRead({ events: ["transaction.withdrawal"] }, 0)).toBeLessThan(7.1);
  },
);

describe("a preview", () => {
  it("has counted everything where it has looked at all, and says so", async () => {
    await insert(0, lookedAtOnce);
    expect(await preview()).toMatchObject({ count: lookedAtOnce, hasMore: false });
    await insert(lookedAtOnce, lookedAtOnce + 1);
    const until = at(lookedAtOnce);
    expect(await preview({ until })).toMatchObject({ count: lookedAtOnce, hasMore: false });
    expect(await preview()).toMatchObject({ count: lookedAtOnce, hasMore: true });
  });

  it("looks at notifications that it does not count, and says where others may follow", async () => {
    await insert(0, lookedAtOnce, "delivered");
    expect(await preview()).toEqual({ count: 0, hasMore: false, first: [] });
    await insert(lookedAtOnce, lookedAtOnce + 5);
    expect(await preview()).toEqual({ count: 0, hasMore: true, first: [] });
    const { count, hasMore, first } = await preview({ since: at(1) });
    expect([count, hasMore, first[0]?.createdAt]).toEqual([1, true, at(lookedAtOnce)]);
  });

  it("divides none of one time", async () => {
    await insert(0, lookedAtOnce - 1);
    for (let twin = 0; twin < 3; twin += 1) await insert(lookedAtOnce, lookedAtOnce + 1);
    expect(await preview()).toMatchObject({ count: lookedAtOnce + 2, hasMore: false });
  });

  it("of a time without notifications counts none", async () => {
    expect(await preview()).toEqual({ count: 0, hasMore: false, first: [] });
  });
});
