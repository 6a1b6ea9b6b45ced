import pg from "pg";
import { expect, it } from "vitest";
import { analyzeUnknown } from "../../../../src/ledger/installation/analyze.ts";
import { eachTest } from "../../../support/each-test.ts";
import { createSeededLedger } from "../deliveries/seed.ts";

const ledger = eachTest(createSeededLedger, (one) => one.close());

it("has large tables looked at that nothing is known of, once, and passes over one that is locked", async () => {
  const { businessId } = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.sql("ALTER TABLE notification SET (autovacuum_enabled = off)");
  await ledger.sql(
    `INSERT INTO notification (id, business_id, round, state, event, body)
     SELECT gen_random_uuid(), $1, 0, 'confirmed', 'transaction.deposit', repeat('x', 1900) FROM generate_series(1, 5000)`,
    [businessId],
  );
  const holder = new pg.Client({ connectionString: ledger.url });
  await holder.connect();
  try {
    await holder.query("BEGIN; LOCK TABLE notification IN SHARE UPDATE EXCLUSIVE MODE");
    expect(await analyzeUnknown(ledger.db)).toEqual([]);
  } finally {
    await holder.end();
  }
  expect(await analyzeUnknown(ledger.db)).toEqual(["notification"]);
  const known = await ledger.sql("SELECT 1 FROM pg_stats WHERE tablename = 'notification'");
  expect(known.length).toBeGreaterThan(0);
  expect(await analyzeUnknown(ledger.db)).toEqual([]);
});
