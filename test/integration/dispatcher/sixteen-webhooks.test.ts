import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Receiver, startReceiver } from "../../support/delivery/receiver.ts";
import { waitFor } from "../../support/wait-for.ts";
import { createSeededLedger, type Seeded } from "../ledger/deliveries/seed.ts";
import { type DeliverySide, startDeliverySide } from "./delivery-side.ts";

const inFlight = 20;
const healthyCount = 14;
const perWebhook = 20;

let ledger: Seeded;
let side: DeliverySide;
let healthy: Receiver;
let hanging: Receiver;
let failing: Receiver;

beforeEach(async () => {
  ledger = await createSeededLedger();
  [healthy, hanging, failing] = await Promise.all([
    startReceiver(),
    startReceiver(),
    startReceiver(),
  ]);
  hanging.answerAlways({ kind: "hang" });
  failing.answerAlways({ kind: "status", status: 500 });
  side = await startDeliverySide({
    ledger,
    backend: {
      kind: "postgres",
      server: { connectionString: ledger.url },
      namespace: `test_${randomUUID().replaceAll("-", "")}`,
    },
    // Longer than the test: only the rules of fairness give a place back.
    sendTimeoutMs: 600_000,
    schedule: [0, 3_600_000],
    stopWithinMs: 1,
  });
});

afterEach(async () => {
  await side.stop();
  await Promise.all([healthy, hanging, failing].map((receiver) => receiver.stop()));
  await ledger.close();
});

const attemptsOf = async (webhookId: string) => {
  const rows = await ledger.sql<{ status_code: number | null }>(
    `SELECT a.status_code FROM attempt a JOIN delivery d ON d.id = a.delivery_id WHERE d.webhook_id = $1`,
    [webhookId],
  );
  return rows.map((row) => row.status_code);
};

it("one that begins to hang and one that fails keep nothing from fourteen healthy ones", async () => {
  const bad = await ledger.addWebhook({ url: hanging.url, inFlight });
  const failed = await ledger.addAdditionalWebhook(bad.businessId, failing.url);
  const others = [];
  for (let number = 0; number < healthyCount; number += 1) {
    const url = `${healthy.url}/${number}`;
    others.push(await ledger.addAdditionalWebhook(bad.businessId, url));
  }
  // It was healthy until now, so it is given every place of its business.
  await ledger.addDeliveries(bad, { count: 2 * inFlight });
  await hanging.waitForCount(inFlight);

  for (const one of [failed, ...others]) await ledger.addDeliveries(one, { count: perWebhook });
  await healthy.waitForCount(healthyCount * perWebhook);
  const isDelivered = (row: { status: string }) => row.status === "delivered";
  await waitFor(
    async () => {
      const delivered = (await ledger.deliveries()).filter(isDelivered).length;
      if (delivered === healthyCount * perWebhook) return delivered;
      throw new Error(`${delivered} are delivered`);
    },
    { what: "every delivery of a healthy webhook", timeoutMs: 30_000 },
  );

  const paths = healthy.requests.map((request) => request.path);
  for (let number = 0; number < healthyCount; number += 1) {
    const path = `/hook/${number}`;
    expect(paths.filter((one) => one === path)).toHaveLength(perWebhook);
  }
  // Nothing of the hanging one has ended meanwhile, and it was given no more.
  expect(hanging.requests).toHaveLength(inFlight);
  expect(await attemptsOf(bad.webhookId)).toEqual([]);
  const statuses = await attemptsOf(failed.webhookId);
  expect(new Set(statuses)).not.toContain(200);
  // Its retries are an hour away: without a share of its own it would have been asked for each.
  expect(failing.requests.length).toBeLessThanOrEqual(inFlight / 4);
});
