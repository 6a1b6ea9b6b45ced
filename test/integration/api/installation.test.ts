import { expect, test } from "vitest";
import { noteTableSizes } from "../../../src/ledger/installation/table-sizes.ts";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertStranger } from "../../support/api/test-api.ts";
import { runSql } from "../../support/ledger/databases.ts";
import { insertDelivery } from "../../support/ledger/ledger-fixtures.ts";
import { registerWebhook } from "../../support/ledger/steps.ts";

const api = eachTestApi();

test("the outbox shows what waits by business, the oldest first, and how receivers answer, the slowest first", async () => {
  const { db, businessId } = api;
  const { businessId: other } = await insertStranger(api);
  const webhookOf = async (owner: string, url: string) => {
    const registration = { businessId: owner, url, secretCiphertext: "x" };
    return (await registerWebhook(db, registration)).webhook.id;
  };
  const quick = await webhookOf(businessId, "https://quick.example/");
  const slow = await webhookOf(other, "https://slow.example/");
  await insertDelivery(db, { businessId: other, webhookId: null });
  await insertDelivery(db, { businessId, webhookId: quick, attempts: 3 });
  await insertDelivery(db, { businessId, webhookId: quick, status: "delivered", attempts: 1 });
  await insertDelivery(db, {
    businessId: other,
    webhookId: slow,
    status: "exhausted",
    attempts: 2,
  });
  await db.attempt.updateMany({ where: { webhookId: slow }, data: { latencyMs: 900 } });
  await db.attempt.updateMany({
    where: { webhookId: quick, number: 1 },
    data: { statusCode: 204 },
  });
  const { data } = (await api.admin("GET", "/outbox")).json();
  expect(data.businesses).toMatchObject([
    { business_id: other, name: "Stranger Inc", waiting: 0, held: 1, oldest_waiting_at: null },
    { business_id: businessId, name: "Example Ltd", waiting: 1, held: 0 },
  ]);
  expect(data.businesses[1].oldest_waiting_at).not.toBeNull();
  expect(data.receivers).toEqual([
    {
      business_id: other,
      webhook_id: slow,
      url: "https://slow.example/",

      attempts: 2,
      failed: 2,
      p50_ms: 900,
      p95_ms: 900,
    },
    {
      business_id: businessId,
      webhook_id: quick,
      url: "https://quick.example/",

      attempts: 4,
      failed: 2,
      p50_ms: 5,
      p95_ms: 5,
    },
  ]);
});

test("the outbox says from when the attempts are that it looked at", async () => {
  const { db, businessId } = api;
  const registration = { businessId, url: "https://busy.example/", secretCiphertext: "x" };
  const { webhook } = await registerWebhook(db, registration);
  const { deliveryId } = await insertDelivery(db, {
    businessId,
    webhookId: webhook.id,
    attempts: 1,
  });
  const shown = async () => (await api.admin("GET", "/outbox")).json().data;
  const beforeMs = Date.now();
  const dayAgoMs = new Date((await shown()).since).getTime() + 86_400_000;
  expect(dayAgoMs).toBeGreaterThanOrEqual(beforeMs);
  expect(dayAgoMs).toBeLessThanOrEqual(Date.now());
  // One a second: the newest 20,000 are of less than six hours.
  const from = new Date(Date.now() - 43_200_000).toISOString();
  await runSql(
    api.url,
    `INSERT INTO attempt (delivery_id, webhook_id, number, started_at, latency_ms, status_code)
     SELECT '${deliveryId}', '${webhook.id}', n + 1, timestamptz '${from}' + n * interval '1 s', 5, 500
     FROM generate_series(1, 20010) n`,
  );
  const { since, failures } = await shown();
  expect(since).toBe(new Date(new Date(from).getTime() + 11_000).toISOString());
  expect(failures).toMatchObject([{ attempts: 20_000, first_at: since }]);
});

test("the installation shows its process and its database", async () => {
  const data = await health();
  expect(data).toMatchObject({
    version: "0.0.0-test",
    parts: [{ name: "watcher:ethereum", trouble: null, causes: [] }],
    configuration: null,
    pending_migrations: ["20991231000000_later"],
    configuration_faults: [
      { path: "chains", message: "is required", code: "required", values: {} },
    ],
    configuration_changes: [],
  });
  expect(data.migrations.at(-1)).toBe("20261121000000_init");
  expect(data.migrations).toContain("20261122101500_console");
  expect(Number(data.database.size_bytes)).toBeGreaterThan(1_000_000);
  const names = data.database.tables.map(({ name }: { name: string }) => name);
  expect([names.length, new Set(names).size]).toEqual([20, 20]);
  const sizes = data.database.tables.map(({ bytes }: { bytes: string }) => Number(bytes));
  expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
});

test("the installation shows what its tables grow by a day, once it is known", async () => {
  const { db } = api;
  await noteTableSizes(db);
  const growth = async () => {
    const { database } = await health();
    const of = (name: string) =>
      database.tables.find((table: { name: string }) => table.name === name).bytes_a_day;
    return { all: database.bytes_a_day, transaction: of("transaction"), wallet: of("wallet") };
  };
  expect(await growth()).toEqual({ all: null, transaction: null, wallet: null });
  // Ten days ago one had 1,000 bytes less, and of the others nothing is known.
  await runSql(
    api.url,
    `DELETE FROM table_size WHERE table_name <> 'transaction';
    UPDATE table_size SET bytes = bytes - 1000, day = day - 10, at = at - interval '10 days'`,
  );
  const grown = { all: "100", transaction: "100", wallet: null };
  expect(await growth()).toEqual(grown);
  // The second one of a day changes nothing, nor does one of less than a day ago.
  await noteTableSizes(db);
  await noteTableSizes(db);
  expect(await growth()).toEqual(grown);
  await runSql(api.url, "UPDATE table_size SET at = at - interval '300 days', day = day - 300");
  expect(await growth()).toEqual({ all: null, transaction: null, wallet: null });
  await noteTableSizes(db);
  expect(
    await db.tableSize.count({ where: { at: { lt: new Date(Date.now() - 86_400_000) } } }),
  ).toBe(0);
});

async function health() {
  return (await api.admin("GET", "/health")).json().data;
}
