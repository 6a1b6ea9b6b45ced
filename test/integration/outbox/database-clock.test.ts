import { expect, it } from "vitest";
import { beginClaims } from "../../../src/ledger/deliveries/begin-claims.ts";
import { claimDeliveries } from "../../../src/ledger/deliveries/claim-deliveries.ts";
import { sweepClaims } from "../../../src/ledger/deliveries/reclaim.ts";
import { followClock } from "../../../src/ledger/installation/follow-clock.ts";
import { statementsOf } from "../../../src/ledger/postgres/statements.ts";
import { eachTest } from "../../support/each-test.ts";
import { createSeededLedger, limits } from "../ledger/deliveries/seed.ts";

const ledger = eachTest(createSeededLedger, (one) => one.close());
const [hourMs, minuteMs] = [3_600_000, 60_000];

/** As if the clock that all of this was written by had been set back since. */
async function setBack(byMs: number): Promise<void> {
  await followClock(ledger.db);
  for (const [table, columns] of [
    ["delivery", ["due_at", "claim_expires_at"]],
    ["webhook", ["circuit_opened_at", "circuit_retry_at"]],
    ["webhook_turn", ["rate_until", "business_rate_until"]],
    ["dispatcher", ["seen_at"]],
    ["lease", ["expires_at"]],
  ] as const) {
    const later = columns.map((one) => `${one} = ${one} + ${byMs} * interval '1 ms'`);
    await ledger.sql(`UPDATE ${table} SET ${later.join(", ")}`);
  }
}

/** In ms from now, as the database sees it. */
async function fromNow(column: string, table: string): Promise<(number | null)[]> {
  const rows = await ledger.sql<{ ms: number | null }>(
    `SELECT (extract(epoch FROM ${column} - now()) * 1000)::float8 AS ms FROM ${table}`,
  );
  return rows.map(({ ms }) => ms);
}

/** Notes are seconds old, and the test takes its time. */
const near = (ms: number) => expect.toSatisfy((value: number) => Math.abs(value - ms) < 20_000);

it("brings forward what waits for a time of a clock that was set back by an hour", async () => {
  const { db } = ledger;
  await ledger.addDispatcher(100);
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.addDeliveries(webhook, { count: 1, attempts: 1, dueInMs: 5 * minuteMs });
  // Written just before the step, and claimed by nobody yet.
  await ledger.addDeliveries(webhook, { count: 1 });
  await ledger.sql(
    `UPDATE webhook SET circuit_opened_at = now(), circuit_retry_at = now() + interval '1 minute', rate = 10`,
  );
  await ledger.sql(
    `INSERT INTO webhook_turn (webhook_id, business_id, number, claimed_at, rate_until, business_rate_until)
     SELECT id, business_id, number, now(), now() + rate_ahead, now() + business_rate_ahead
     FROM webhook, (VALUES (0, interval '1 second', NULL), (1, NULL, interval '1 second'))
       AS turn(number, rate_ahead, business_rate_ahead)`,
  );
  await ledger.sql(
    `INSERT INTO lease (name, holder, expires_at)
     VALUES ('watcher:anvil', gen_random_uuid(), now() + interval '15 seconds')`,
  );
  await setBack(hourMs);
  expect(await followClock(db)).toBeGreaterThan(hourMs - 20_000);
  expect(await fromNow("due_at", "delivery ORDER BY seq")).toEqual([near(5 * minuteMs), near(0)]);
  expect(await fromNow("circuit_retry_at", "webhook")).toEqual([near(minuteMs)]);
  const turns = "webhook_turn ORDER BY number";
  expect(await fromNow("rate_until", turns)).toEqual([near(1_000), null]);
  expect(await fromNow("business_rate_until", turns)).toEqual([null, near(1_000)]);
  expect(await fromNow("seen_at", "dispatcher")).toEqual([near(0)]);
  expect(await fromNow("expires_at", "lease")).toEqual([near(0), near(15_000)]);
  expect(await followClock(db)).toBe(0);
});

it("lets claims of the clock before end as they would have, and leaves those taken since alone", async () => {
  const { db } = ledger;
  await ledger.addDispatcher(100);
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.addDeliveries(webhook, { count: 1 });
  await claimDeliveries(db, limits);
  await setBack(hourMs);
  await ledger.addDeliveries(webhook, { count: 1 });
  const [taken] = await claimDeliveries(db, limits);
  await followClock(db);
  expect(await fromNow("claim_expires_at", "delivery")).toEqual([
    near(limits.leaseMs),
    near(limits.leaseMs),
  ]);
  const sweep = { schedule: [0], random: () => 0, limit: 10 };
  expect(await sweepClaims(db, sweep)).toEqual({ freed: 0, postponed: 0 });
  expect(
    await beginClaims(statementsOf(db).$queryRaw, {
      tokens: [taken?.token ?? ""],
      leaseLeftMs: 20_000,
    }),
  ).toHaveLength(1);
});

it("is done once, by whichever of several processes", async () => {
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.addDeliveries(webhook, { count: 3, attempts: 1, dueInMs: 5 * minuteMs });
  await setBack(hourMs);
  const all = await Promise.all([1, 2, 3, 4].map(() => followClock(ledger.db)));
  expect(all.filter((ms) => ms > 0)).toHaveLength(1);
  expect(await fromNow("due_at", "delivery")).toEqual([1, 2, 3].map(() => near(5 * minuteMs)));
});

it("moves nothing while the clock goes on, nor for a few seconds", async () => {
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.addDeliveries(webhook, { count: 1, attempts: 1, dueInMs: 5 * minuteMs });
  expect(await followClock(ledger.db)).toBe(0);
  expect(await followClock(ledger.db)).toBe(0);
  await setBack(10_000);
  expect(await followClock(ledger.db)).toBe(0);
  expect(await fromNow("due_at", "delivery")).toEqual([near(5 * minuteMs + 10_000)]);
});
