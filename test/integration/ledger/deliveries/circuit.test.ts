import { expect, it } from "vitest";
import { beginClaims } from "../../../../src/ledger/deliveries/begin-claims.ts";
import { claimDeliveries } from "../../../../src/ledger/deliveries/claim-deliveries.ts";
import { recordAttempts } from "../../../../src/ledger/deliveries/record-attempts.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { readWebhook } from "../../../../src/ledger/webhooks/webhooks.ts";
import { eachTest } from "../../../support/each-test.ts";
import { changeWebhook } from "../../../support/ledger/steps.ts";
import { recordsOf } from "./records-of.ts";
import { createSeededLedger, limits } from "./seed.ts";

const ledger = eachTest(createSeededLedger, (one) => one.close());

async function addFailing(failures: number) {
  await ledger.addDispatcher(100);
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.addDeliveries(webhook, { count: 30 });
  await ledger.sql("UPDATE webhook SET consecutive_failures = $1, failing_since = now()", [
    failures,
  ]);
  return webhook;
}

/** One attempt at what is due, answered so. */
async function attempt(statusCode: number) {
  const [claim] = await claimDeliveries(ledger.db, limits);
  if (claim === undefined) throw new Error("Nothing is sent.");
  const { token } = claim;
  const sends = await beginClaims(statementsOf(ledger.db).$queryRaw, {
    tokens: [token],
    leaseLeftMs: 20_000,
  });
  return recordAttempts(ledger.db, recordsOf({ token, sends }, statusCode));
}

const pauseS = async () =>
  (
    await ledger.sql<{ s: number }>(
      "SELECT round(extract(epoch FROM circuit_retry_at - now()))::int AS s FROM webhook",
    )
  )[0]?.s;
const pass = () => ledger.sql("UPDATE webhook SET circuit_retry_at = now()");

it("opens after ten failures in a row, and nothing is sent until its pause is over", async () => {
  const { businessId, webhookId } = await addFailing(8);
  expect((await attempt(500)).circuits).toEqual([]);
  expect(await readWebhook(ledger.db, businessId)).toMatchObject({ circuitOpenedAt: null });
  expect((await attempt(500)).circuits).toEqual([{ webhookId, circuit: "open" }]);
  expect(await claimDeliveries(ledger.db, limits)).toEqual([]);
  const { circuitOpenedAt, circuitRetryAt } = await readWebhook(ledger.db, businessId);
  expect(Number(circuitRetryAt) - Number(circuitOpenedAt)).toBe(5_000);
});

it("makes one attempt after each pause, and doubles the pause up to a minute", async () => {
  await addFailing(9);
  const pauses: unknown[] = [];
  for (let count = 0; count < 6; count += 1) {
    const { circuits } = await attempt(503);
    expect(circuits).toHaveLength(count === 0 ? 1 : 0);
    pauses.push(await pauseS());
    await pass();
  }
  expect(pauses).toEqual([5, 10, 20, 40, 60, 60]);
  expect(await claimDeliveries(ledger.db, limits)).toMatchObject([{ deliveries: 1 }]);
});

it("closes with an answer that is accepted, and then sends as before", async () => {
  const { businessId, webhookId } = await addFailing(9);
  await attempt(500);
  await pass();
  expect((await attempt(200)).circuits).toEqual([{ webhookId, circuit: "closed" }]);
  expect(await readWebhook(ledger.db, businessId)).toMatchObject({
    circuitOpenedAt: null,
    circuitRetryAt: null,
  });
  expect(await claimDeliveries(ledger.db, limits)).toMatchObject([{ deliveries: 10 }]);
});

it.each([{ isActive: true }, { url: "https://b.example/" }])(
  "closes when the business says %o, for one attempt at once",
  async (change) => {
    const name = await addFailing(9);
    await attempt(500);
    await changeWebhook(ledger.db, name, change);
    expect(await claimDeliveries(ledger.db, limits)).toMatchObject([{ deliveries: 1 }]);
  },
);
