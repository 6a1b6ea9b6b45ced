import { beforeEach, expect, test } from "vitest";
import { readStatus } from "../../../../src/ledger/chain/chain-status.ts";
import { claimDeliveries } from "../../../../src/ledger/deliveries/claim-deliveries.ts";
import { eachTest } from "../../../support/each-test.ts";
import { createSeededLedger, limits } from "./seed.ts";

const ledger = eachTest(createSeededLedger, (seeded) => seeded.close());
let webhook: { businessId: string; webhookId: string };

const minuteMs = 60_000;

/** Minutes for which somebody's delivery has been late; null: none is. */
async function lateMinutes(): Promise<number | null> {
  const nowMs = Date.now();
  const { lateSince } = (await readStatus(ledger.db, nowMs)).outbox;
  return lateSince && Math.round((nowMs - lateSince.getTime()) / minuteMs);
}

const set = (columns: string, { webhookId } = webhook) =>
  ledger.sql(`UPDATE webhook SET ${columns} WHERE id = $1`, [webhookId]);

const wait = (minutes: number, to = webhook) =>
  ledger.addDeliveries(to, { count: 1, dueInMs: -minutes * minuteMs });

beforeEach(async () => {
  webhook = await ledger.addWebhook({ url: "https://a.example/" });
});

test("what is due to one receiver is late, whoever else's receiver fails or is paused", async () => {
  expect(await lateMinutes()).toBeNull();
  for (const state of ["failing_since = now() - interval '1 day'", "is_active = false"]) {
    const other = await ledger.addWebhook({ url: "https://b.example/" });
    await wait(120, other);
    await set(state, other);
  }
  expect(await lateMinutes()).toBeNull();
  await wait(7);
  expect(await lateMinutes()).toBe(7);
});

test.each([
  ["its receiver has answered well since", "last_success_at = now() - interval '1 minute'", 1],
  ["its receiver fails", "failing_since = now()", null],
])("nothing is late by more where %s", async (_what, columns, minutes) => {
  await wait(30);
  await set(columns);
  expect(await lateMinutes()).toBe(minutes);
});

test("a retry is late from its time on, and a claim that nobody sends is late too", async () => {
  await ledger.addDeliveries(webhook, { count: 1, attempts: 3, dueInMs: 5 * minuteMs });
  expect(await lateMinutes()).toBeNull();
  await ledger.addDispatcher(10);
  await wait(9);
  expect(await claimDeliveries(ledger.db, limits)).toMatchObject([{ deliveries: 1 }]);
  expect(await lateMinutes()).toBe(9);
});

test("nothing of a suspended business is late", async () => {
  await wait(9);
  await ledger.sql("UPDATE business SET suspended_at = now()");
  expect(await lateMinutes()).toBeNull();
});
