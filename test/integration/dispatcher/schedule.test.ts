import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DispatchPorts, dispatchClaim } from "../../../src/dispatcher/dispatch.ts";
import type { AttemptResult } from "../../../src/domain/delivery/delivery.ts";
import {
  type RetrySchedule,
  standardSchedule,
} from "../../../src/domain/delivery/retry-schedule.ts";
import { noSpans } from "../../../src/domain/spans.ts";
import { createDeliveryLedger } from "../../../src/ledger/delivery-ledger.ts";
import { recoverDeliveries } from "../../support/ledger/steps.ts";
import { quiet } from "../../support/quiet.ts";
import { createSeededLedger, type Seeded } from "../ledger/deliveries/seed.ts";

const hour = 3_600_000;

/** The first wait is a minute: the seconds that a busy machine takes are few beside it. */
const slowSchedule = standardSchedule.map((waitMs) => waitMs * 12);

const failed: AttemptResult = {
  kind: "answered",
  statusCode: 500,
  retryAfterMs: null,
  response: "",
};

// Due times are the database's. Time passes in these tests by moving what the database remembers
// into the past; the process's own clock is given, and lies as the test wants.
describe("the retry schedule", () => {
  let ledger: Seeded;
  let nowMs: number;
  let schedule: RetrySchedule;

  beforeEach(async () => {
    ledger = await createSeededLedger();
    await ledger.addDispatcher(10);
    nowMs = Date.now();
    schedule = standardSchedule;
  });

  afterEach(() => ledger.close());

  const delivering = () =>
    createDeliveryLedger(ledger.db, {
      inFlight: 10,
      schedule,
      random: Math.random,
    });

  /**
   * One turn of relay and dispatcher: claims what is due and answers it so. Answers how many were
   * sent.
   */
  async function turn(result: AttemptResult): Promise<number> {
    let sent = 0;
    const port = delivering();
    for (const { token } of await port.claimDeliveries(0)) {
      const ports: DispatchPorts = {
        sender: {
          async post() {
            sent += 1;
            return { ...result, latencyMs: 1 };
          },
        },
        record: async (attempted) => {
          await port.recordAttempts([attempted], false);
        },
        decrypt: (text) => text,
        schedule,
        random: Math.random,
        clock: { now: () => nowMs, elapsed: () => nowMs, sleep: async () => {} },
        log: quiet,
        spans: noSpans,
      };
      const begun = await port.beginClaims({ tokens: [token] });
      const sends = begun.map((delivery) => ({ delivery, slot: null, askedMs: nowMs }));
      await dispatchClaim(sends, ports, new AbortController().signal);
    }
    return sent;
  }

  async function pass(ms: number) {
    await ledger.sql(`UPDATE delivery SET due_at = due_at - $1 * interval '1 ms'`, [ms]);
    await ledger.sql(
      `UPDATE webhook SET failing_since = failing_since - $1 * interval '1 ms',
        circuit_retry_at = circuit_retry_at - $1 * interval '1 ms'`,
      [ms],
    );
    await ledger.sql(`UPDATE dispatcher SET seen_at = now()`);
  }

  const only = async () => (await ledger.deliveries())[0];

  it("makes ten attempts at its times, each within a fifth, and not one before it is due", async () => {
    schedule = slowSchedule;
    const webhook = await ledger.addWebhook({ url: "https://example.com/" });
    await ledger.addDeliveries(webhook, { count: 1 });
    for (const [index, waitMs] of slowSchedule.slice(1).entries()) {
      expect(await turn(failed)).toBe(1);
      const delivery = await only();
      expect(delivery).toMatchObject({ status: "waiting", attempts: index + 1 });
      expect(delivery?.due_in_ms).toBeGreaterThan(waitMs * 0.8 - 30_000);
      expect(delivery?.due_in_ms).toBeLessThanOrEqual(waitMs * 1.2);
      await pass(waitMs * 0.5);
      expect(await turn(failed), "half the wait is too early").toBe(0);
      await pass(waitMs);
    }
    expect(await turn(failed)).toBe(1);
    expect(await only()).toMatchObject({ status: "exhausted", attempts: 10 });
    await pass(100 * 12 * hour);
    expect(await turn(failed)).toBe(0);

    const [notification] = await ledger.sql<{ created_at: Date }>(
      "SELECT created_at FROM notification",
    );
    const since = new Date((notification?.created_at.getTime() ?? 0) - 1_000);
    await recoverDeliveries(ledger.db, webhook, { since, until: null });
    expect(await turn(failed), "recovered, it begins anew").toBe(1);
    expect(await only()).toMatchObject({ status: "waiting", attempts: 1 });
    const numbers = await ledger.sql<{ number: number }>(
      "SELECT number FROM attempt ORDER BY number",
    );
    expect(numbers.map(({ number }) => number)).toEqual(
      Array.from({ length: 11 }, (_, index) => index + 1),
    );
  });

  it("waits as long as a 503 asks, but for a day at most, and never shorter than it would anyway", async () => {
    const asked = (retryAfterMs: number): AttemptResult => ({
      ...failed,
      kind: "answered",
      statusCode: 503,
      retryAfterMs,
      response: "",
    });
    for (const [retryAfterMs, expectedMs] of [
      [2 * hour, 2 * hour],
      [1_000 * hour, 24 * hour],
    ] as const) {
      const webhook = await ledger.addWebhook({ url: `https://example.com/${randomUUID()}` });
      await ledger.addDeliveries(webhook, { count: 1 });
      expect(await turn(asked(retryAfterMs))).toBe(1);
      const delivery = (await ledger.deliveries()).at(-1);
      expect(delivery?.due_in_ms).toBeGreaterThan(expectedMs - 60_000);
      expect(delivery?.due_in_ms).toBeLessThanOrEqual(expectedMs);
      await ledger.sql("UPDATE delivery SET status = 'cancelled'");
    }
  });

  it("is not affected by a process whose clock jumps by days, either way", async () => {
    const webhook = await ledger.addWebhook({ url: "https://example.com/" });
    await ledger.addDeliveries(webhook, { count: 1 });
    schedule = slowSchedule;
    nowMs += 30 * 24 * hour;
    expect(await turn(failed)).toBe(1);
    const delivery = await only();
    expect(delivery?.due_in_ms).toBeGreaterThan(20_000);
    expect(delivery?.due_in_ms).toBeLessThanOrEqual(72_000);
    nowMs -= 60 * 24 * hour;
    expect(await turn(failed), "its clock says that a month is missing").toBe(0);
    await pass(72_000);
    expect(await turn(failed)).toBe(1);
  });

  it("ends for a receiver that is gone, and for one that failed twenty times over five days; events are held", async () => {
    const gone = await ledger.addWebhook({ url: "https://gone.example.com/" });
    await ledger.addDeliveries(gone, { count: 2 });
    await turn({ kind: "answered", statusCode: 410, retryAfterMs: null, response: "" });
    const isActive = async (id: string) =>
      (
        await ledger.sql<{ is_active: boolean }>("SELECT is_active FROM webhook WHERE id = $1", [
          id,
        ])
      )[0]?.is_active;
    expect(await isActive(gone.webhookId)).toBe(false);

    const failing = await ledger.addWebhook({ url: "https://failing.example.com/" });
    await ledger.addDeliveries(failing, { count: 3 });
    let sent = 0;
    for (let turns = 0; turns < 40 && (await isActive(failing.webhookId)); turns += 1) {
      sent += await turn(failed);
      await pass(12 * hour);
    }
    expect(sent).toBeGreaterThanOrEqual(20);
    expect(await isActive(failing.webhookId)).toBe(false);
    const waiting = (await ledger.deliveries()).filter((row) => row.status === "waiting");
    expect(waiting.length, "nothing that was still to be delivered is lost").toBeGreaterThan(0);
  });
});
