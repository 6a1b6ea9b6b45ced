import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDeliveryLedger } from "../../../src/ledger/delivery-ledger.ts";
import { nothingReserved, relay, sweep } from "../../../src/outbox/outbox.ts";
import type { Logger } from "../../../src/runtime/logger.ts";
import { createSeededLedger, type Seeded } from "../ledger/deliveries/seed.ts";

const log: Logger = { debug() {}, info() {}, warn() {}, error() {} };

let ledger: Seeded;

beforeEach(async () => {
  ledger = await createSeededLedger();
  await ledger.addDispatcher(100);
});

afterEach(() => ledger.close());

const delivering = () =>
  createDeliveryLedger(ledger.db, { inFlight: 10, schedule: [0, 1_000], random: Math.random });

describe("the relay", () => {
  it("enqueues one job for each claim, and is idle when nothing is due", async () => {
    const enqueued: string[] = [];
    const queue = {
      enqueue: async (claims: { token: string }[]) =>
        void enqueued.push(...claims.map(({ token }) => token)),
    };
    for (let index = 0; index < 3; index += 1) {
      const webhook = await ledger.addWebhook({ url: `https://${index}.example/` });
      await ledger.addDeliveries(webhook, { count: 4 });
    }
    expect(await relay({ ledger: delivering(), queue, reserve: nothingReserved, log })).toBe(
      "again",
    );
    expect(await relay({ ledger: delivering(), queue, reserve: nothingReserved, log })).toBe(
      "idle",
    );
    expect(enqueued).toHaveLength(3);
    const tokens = (await ledger.deliveries()).map(({ claim_token }) => claim_token);
    expect(new Set(tokens)).toEqual(new Set(enqueued));
  });

  it("sends what began with its claim, also where the rest cannot be enqueued", async () => {
    const small = await ledger.addWebhook({ url: "https://small.example/" });
    const large = await ledger.addWebhook({ url: "https://large.example/" });
    await ledger.addDeliveries(large, { count: 5 });
    const [sent] = await ledger.addDeliveries(small, { count: 1 });
    const queue = { enqueue: () => Promise.reject(new Error("queue away")) };
    const begun: string[][] = [];
    const reserve = () => ({
      places: 3,
      send: (claims: { deliveryId: string }[][]) =>
        void begun.push(...claims.map((claim) => claim.map(({ deliveryId }) => deliveryId))),
    });
    const relayed = relay({ ledger: delivering(), queue, reserve, log });
    await expect(relayed).rejects.toThrow("queue away");
    expect(begun).toEqual([[sent]]);
    for (const { id, claim_token, unrecorded } of await ledger.deliveries())
      expect([claim_token !== null, unrecorded]).toEqual(id === sent ? [true, 1] : [false, 0]);
  });

  it("frees what it reserved where nothing can be claimed", async () => {
    const sent: number[] = [];
    const reserve = () => ({
      places: 3,
      send: (claims: object[]) => void sent.push(claims.length),
    });
    const away = { ...delivering(), claimDeliveries: () => Promise.reject(new Error("away")) };
    const queue = { enqueue: async () => {} };
    await expect(relay({ ledger: away, queue, reserve, log })).rejects.toThrow("away");
    expect(await relay({ ledger: delivering(), queue, reserve, log })).toBe("idle");
    expect(sent).toEqual([0, 0]);
  });

  it("gives claims back that cannot be enqueued, without counting an attempt", async () => {
    const webhook = await ledger.addWebhook({ url: "https://a.example/" });
    await ledger.addDeliveries(webhook, { count: 2 });
    const queue = { enqueue: () => Promise.reject(new Error("queue away")) };
    await expect(
      relay({ ledger: delivering(), queue, reserve: nothingReserved, log }),
    ).rejects.toThrow("queue away");
    expect(await ledger.deliveries()).toMatchObject([
      { claim_token: null, attempts: 0, unrecorded: 0 },
      { claim_token: null, attempts: 0, unrecorded: 0 },
    ]);
  });
});

describe("the sweep of the queue", () => {
  async function claimAgo(seconds: number): Promise<string> {
    const webhook = await ledger.addWebhook({ url: "https://a.example/" });
    await ledger.addDeliveries(webhook, { count: 1 });
    const [claim] = await delivering().claimDeliveries(0);
    await ledger.sql(
      "UPDATE delivery SET claim_expires_at = claim_expires_at - $1 * interval '1 s'",
      [seconds],
    );
    return claim?.token ?? "";
  }

  it("gives a claim back whose job the queue has lost", async () => {
    await claimAgo(6);
    const queue = { has: async () => false };
    expect((await sweep({ ledger: delivering(), queue, log })).oldestQueuedMs).toBe(0);
    expect(await ledger.deliveries()).toMatchObject([{ claim_token: null, attempts: 0 }]);
  });

  it("leaves a claim whose job still waits, and says for how long", async () => {
    const token = await claimAgo(30);
    const queue = { has: async () => true };
    const { oldestQueuedMs } = await sweep({ ledger: delivering(), queue, log });
    expect(oldestQueuedMs).toBeGreaterThanOrEqual(30_000);
    expect(await ledger.deliveries()).toMatchObject([{ claim_token: token }]);
  });

  it("leaves a claim that was made just now", async () => {
    const token = await claimAgo(0);
    const queue = { has: async () => false };
    await sweep({ ledger: delivering(), queue, log });
    expect(await ledger.deliveries()).toMatchObject([{ claim_token: token }]);
  });

  it("gives nothing back while the queue cannot be asked", async () => {
    const token = await claimAgo(6);
    const queue = { has: () => Promise.reject(new Error("queue away")) };
    await expect(sweep({ ledger: delivering(), queue, log })).rejects.toThrow("queue away");
    expect(await ledger.deliveries()).toMatchObject([{ claim_token: token }]);
  });
});
