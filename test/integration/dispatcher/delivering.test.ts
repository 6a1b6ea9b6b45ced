import { createHmac, randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { claimLeaseMs } from "../../../src/domain/delivery/claim.ts";
import { changeWebhook } from "../../../src/ledger/webhooks/change-webhook.ts";
import type { QueueBackend } from "../../../src/queue/delivery-queue.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { type Receiver, startReceiver } from "../../support/delivery/receiver.ts";
import { startOwnRedis } from "../../support/delivery/redis.ts";
import { redisAt, startSentinels } from "../../support/delivery/redis-topologies.ts";
import { hasRedis } from "../../support/delivery/with-redis.ts";
import { gate } from "../../support/gate.ts";
import { waitFor } from "../../support/wait-for.ts";
import { heldOpen } from "../ledger/deliveries/ordered.ts";
import { createSeededLedger, type Seeded } from "../ledger/deliveries/seed.ts";
import { type DeliverySide, type DeliverySideOptions, startDeliverySide } from "./delivery-side.ts";

const timeoutMs = 30_000;

let ledger: Seeded;
let receiver: Receiver;
let sides: DeliverySide[];
let backend: QueueBackend;

beforeEach(async () => {
  ledger = await createSeededLedger();
  receiver = await startReceiver();
  sides = [];
  backend = sharedBackend(ledger.url);
});

afterEach(async () => {
  await Promise.all(sides.map((side) => side.stop()));
  await receiver.stop();
  await ledger.close();
});

/** A queue that is away. */
const nowhere: QueueBackend = {
  kind: "redis",
  servers: redisAt("redis://127.0.0.1:1"),
  namespace: "nowhere",
};

/** The shared Redis; without one, the queue is in PostgreSQL. */
function sharedBackend(databaseUrl: string): QueueBackend {
  const namespace = `test_${randomUUID().replaceAll("-", "")}`;
  const url = inject("redisUrl");
  return url === null
    ? { kind: "postgres", server: { connectionString: databaseUrl }, namespace }
    : { kind: "redis", servers: redisAt(url), namespace };
}

async function start(own: Partial<DeliverySideOptions> = {}): Promise<DeliverySide> {
  const side = await startDeliverySide({ ledger, backend, ...own });
  sides.push(side);
  return side;
}

const untilStatus = (status: string, count: number) =>
  waitFor(
    async () => {
      const rows = await ledger.deliveries();
      const found = rows.filter((row) => row.status === status).length;
      if (found === count) return rows;
      throw new Error(`${found} of ${rows.length} are ${status}`);
    },
    { what: `${count} deliveries to be ${status}`, timeoutMs },
  );

const attempts = () =>
  ledger.sql<{ number: number; status_code: number | null; error_kind: string; response: string }>(
    "SELECT * FROM attempt ORDER BY id",
  );

const idsHeard = () =>
  receiver.requests.map((request) => JSON.parse(request.rawBody.toString()).id as string);

describe("the delivery side", () => {
  /** Of 400 slots 50 are for what begins with its claim: more than a business has in flight. */
  const pastQueue = { slots: 400 };

  it.each(["redis", "postgres", "no queue"] as const)(
    "notifies each notification once through %s",
    async (kind) => {
      if (kind === "postgres") {
        backend = { kind, server: { connectionString: ledger.url }, namespace: "chainbell_queue" };
      }
      if (kind === "no queue") backend = nowhere;
      const webhook = await ledger.addWebhook({ url: receiver.url });
      await start(kind === "no queue" ? pastQueue : { isQueued: true });
      await ledger.addDeliveries(webhook, { count: 40 });
      const rows = await untilStatus("delivered", 40);
      expect(idsHeard().sort()).toEqual(rows.map((row) => row.notification_id).sort());
      expect(await attempts()).toHaveLength(40);
      for (const { headers, rawBody } of receiver.requests) {
        const expected = createHmac("sha256", webhook.secret).update(rawBody).digest("hex");
        expect(headers["x-webhook-signature"]).toBe(expected);
      }
    },
  );

  it("is woken by the ledger's signal, not by polling", async () => {
    const webhook = await ledger.addWebhook({ url: receiver.url });
    await start({ pollMs: 3_600_000 });
    await ledger.addDeliveries(webhook, { count: 1 });
    await untilStatus("delivered", 1);
    await ledger.addDeliveries(webhook, { count: 25 });
    await untilStatus("delivered", 26);
  });

  it("retries with the same id and the same one before it until it is accepted", async () => {
    const webhook = await ledger.addWebhook({ url: receiver.url });
    receiver.answerStatuses(500, 500, 200);
    await ledger.addDeliveries(webhook, { count: 1 });
    const previous = randomUUID();
    await ledger.sql("UPDATE delivery SET previous_id = $1", [previous]);
    await start();
    const [row] = await untilStatus("delivered", 1);
    const named = receiver.requests.map(({ headers }) => headers["webhook-previous"]);
    expect(named).toEqual([previous, previous, previous]);
    expect(idsHeard()).toEqual([row, row, row].map((same) => same?.notification_id));
    expect(new Set(receiver.requests.map(({ rawBody }) => rawBody.toString())).size).toBe(1);
    expect(await attempts()).toMatchObject([
      { number: 1, status_code: 500 },
      { number: 2, status_code: 500 },
      { number: 3, status_code: 200 },
    ]);
  });

  it("gives up when the schedule is used up", async () => {
    const webhook = await ledger.addWebhook({ url: receiver.url });
    receiver.answerAlways({ kind: "status", status: 503 });
    await start({ schedule: [0, 10, 10] });
    await ledger.addDeliveries(webhook, { count: 2 });
    await untilStatus("exhausted", 2);
    expect(receiver.requests).toHaveLength(6);
  });

  it("makes one attempt where a delivery may make one", async () => {
    const webhook = await ledger.addWebhook({ url: receiver.url });
    receiver.answerAlways({ kind: "status", status: 500 });
    await start();
    await ledger.addDeliveries(webhook, { count: 1, maxAttempts: 1 });
    await untilStatus("exhausted", 1);
    expect(receiver.requests).toHaveLength(1);
  });

  it("records that a receiver hung, and notifies the others meanwhile", async () => {
    const hanging = await startReceiver();
    try {
      hanging.answerAlways({ kind: "hang" });
      const [slow, fast] = [
        await ledger.addWebhook({ url: hanging.url }),
        await ledger.addWebhook({ url: receiver.url }),
      ];
      await ledger.addDeliveries(slow, { count: 30 });
      await start({ sendTimeoutMs: 1_500, schedule: [0], slots: 20 });
      await ledger.addDeliveries(fast, { count: 10 });
      await untilStatus("delivered", 10);
      expect((await attempts()).length, "some of those that hang still wait").toBeLessThan(40);
      await waitFor(
        async () => (await attempts()).some(({ error_kind }) => error_kind === "timeout"),
        { what: "a recorded timeout", timeoutMs },
      );
    } finally {
      await hanging.stop();
    }
  });

  it("notifies the others while more begin to hang at once than there are slots", async () => {
    const hanging = await startReceiver();
    try {
      hanging.answerAlways({ kind: "hang" });
      for (let index = 0; index < 6; index += 1) {
        const known = await ledger.addWebhook({ url: hanging.url });
        await ledger.addDeliveries(known, { count: 10 });
      }
      const healthy = await ledger.addWebhook({ url: receiver.url });
      await start({ sendTimeoutMs: timeoutMs, stopWithinMs: 100, slots: 40 });
      const hang = async () => hanging.requests.length === 60;
      await waitFor(hang, { what: "sixty to hang on forty slots", timeoutMs });
      await ledger.addDeliveries(healthy, { count: 30 });
      await untilStatus("delivered", 30);
      expect(await attempts(), "no time limit had passed").toHaveLength(30);
    } finally {
      await hanging.stop();
    }
  });

  it("deactivates a webhook whose receiver is gone, and holds what is left for it", async () => {
    const webhook = await ledger.addWebhook({ url: receiver.url, inFlight: 1 });
    receiver.answerAlways({ kind: "status", status: 410 });
    await ledger.addDeliveries(webhook, { count: 3 });
    await start();
    await waitFor(async () => (await ledger.sql("SELECT 1 FROM webhook WHERE NOT is_active"))[0], {
      what: "the webhook to be inactive",
      timeoutMs,
    });
    await untilStatus("waiting", 3);
    receiver.answerAlways({ kind: "status", status: 200 });
    await ledger.sql("UPDATE webhook SET is_active = true");
    await untilStatus("delivered", 3);
    expect(receiver.requests).toHaveLength(4);
  });

  it("notifies others while a business changes its webhook, whose health follows", async () => {
    const slow = await startReceiver();
    const answer = gate();
    slow.answerAlways({
      kind: "handler",
      async handle(_received, response) {
        await answer.isOpen;
        response.writeHead(410).end();
      },
    });
    const changed = await ledger.addWebhook({ url: slow.url });
    const other = await ledger.addWebhook({ url: receiver.url });
    await start();
    await ledger.addDeliveries(changed, { count: 1 });
    await waitFor(() => slow.requests.length === 1, { what: "the POST", timeoutMs });
    const held = await heldOpen(ledger, (tx) =>
      changeWebhook(tx, changed, { description: "mine" }),
    );
    answer.open();
    try {
      await waitFor(async () => (await attempts()).length === 1, { what: "its record", timeoutMs });
      await ledger.addDeliveries(other, { count: 1 });
      await untilStatus("delivered", 1);
    } finally {
      await held.commit();
    }
    const isOff = async () =>
      (
        await ledger.sql("SELECT FROM webhook WHERE id = $1 AND disabled_reason = 'gone'", [
          changed.webhookId,
        ])
      ).length === 1;
    await waitFor(isOff, { what: "the webhook to be inactive", timeoutMs });
    await slow.stop();
  });

  it("records whatever a receiver answers", async () => {
    const webhook = await ledger.addWebhook({ url: receiver.url });
    receiver.answerNext({
      kind: "status",
      status: 200,
      body: Buffer.from([0x00, 0xff, 0xed, 0xa0, 0x80, 0x41]),
    });
    await start();
    await ledger.addDeliveries(webhook, { count: 1 });
    await untilStatus("delivered", 1);
    const [attempt] = await attempts();
    expect(attempt?.response).toMatch(/^\ufffd+A$/);
  });

  it("two processes on one database notify each notification once", async () => {
    const webhooks = [];
    for (let index = 0; index < 8; index += 1) {
      webhooks.push(await ledger.addWebhook({ url: receiver.url }));
    }
    await Promise.all([start(), start()]);
    for (const webhook of webhooks) await ledger.addDeliveries(webhook, { count: 25 });
    const rows = await untilStatus("delivered", 200);
    expect(idsHeard().sort()).toEqual(rows.map((row) => row.notification_id).sort());
  });

  it.each([true, false])(
    "finishes what it has begun when it stops (queued: %s)",
    async (isQueued) => {
      const webhook = await ledger.addWebhook({ url: receiver.url });
      receiver.answerAlways({ kind: "delay", delayMs: 300, status: 200 });
      if (!isQueued) backend = nowhere;
      const side = await start({ isQueued, ...pastQueue });
      await ledger.addDeliveries(webhook, { count: 30 });
      await receiver.waitForCount(1);
      await side.stop();
      const rows = await ledger.deliveries();
      expect(rows.filter(({ status }) => status === "delivered").length).toBeGreaterThan(0);
      expect(rows.every(({ unrecorded }) => unrecorded === 0)).toBe(true);
      backend = sharedBackend(ledger.url);
      await start();
      await untilStatus("delivered", 30);
      expect(new Set(idsHeard()).size).toBe(30);
      expect(receiver.requests).toHaveLength(30);
    },
  );

  it.each([true, false])("leaves hanging sends to their lease (queued: %s)", async (isQueued) => {
    const webhook = await ledger.addWebhook({ url: receiver.url });
    receiver.answerAlways({ kind: "hang" });
    if (!isQueued) backend = nowhere;
    const side = await start({ isQueued, stopWithinMs: 200 });
    await ledger.addDeliveries(webhook, { count: 1 });
    await receiver.waitForCount(1);
    await side.stop();
    expect(await ledger.deliveries()).toMatchObject([{ status: "waiting", unrecorded: 1 }]);
    expect((await ledger.deliveries())[0]?.claim_token).not.toBeNull();
    expect(await attempts()).toEqual([]);
  });

  it.each([true, false])(
    "sends nothing that another process may send by now, after it stood still (queued: %s)",
    async (isQueued) => {
      const webhook = await ledger.addWebhook({ url: receiver.url });
      if (!isQueued) backend = nowhere;
      let stoodStillMs = 0;
      const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + stoodStillMs };
      // It stands still for as long as its lease lasts, and another process sends all meanwhile.
      const onBegun = async () => {
        stoodStillMs = claimLeaseMs;
        await ledger.sql(
          `UPDATE delivery SET status = 'delivered', delivered_at = now(), unrecorded = 0,
             claim_token = NULL, claim_expires_at = NULL, begun_at = NULL`,
        );
      };
      const side = await start({ isQueued, ...pastQueue, clock, onBegun });
      await ledger.addDeliveries(webhook, { count: 3 });
      await untilStatus("delivered", 3);
      await side.stop();
      expect(receiver.requests).toEqual([]);
    },
  );

  it("sends as many at once as it has slots, and gives back what has none when it stops", async () => {
    const webhook = await ledger.addWebhook({ url: receiver.url });
    receiver.answerAlways({ kind: "hang" });
    await ledger.addDeliveries(webhook, { count: 4 });
    // The relay claims as many again as there are slots, and no more for one claim than a dispatcher
    // has. Time stands still: else what hangs would give its slot to the others.
    const standing = systemClock.elapsed();
    const clock = { ...systemClock, elapsed: () => standing };
    const side = await start({ slots: 2, stopWithinMs: 200, clock });
    await receiver.waitForCount(2);
    await side.stop();
    const rows = await ledger.deliveries();
    const isHeld = ({ claim_token }: { claim_token: unknown }) => claim_token !== null;
    expect(receiver.requests).toHaveLength(2);
    expect(rows.filter(isHeld)).toMatchObject([{ unrecorded: 1 }, { unrecorded: 1 }]);
    const given = rows.filter((row) => !isHeld(row));
    expect(given.map(({ status, unrecorded }) => ({ status, unrecorded }))).toEqual([
      { status: "waiting", unrecorded: 0 },
      { status: "waiting", unrecorded: 0 },
    ]);
    expect(await attempts()).toEqual([]);
  });
});

describe.runIf(hasRedis)("I6: the queue is disposable", () => {
  it("everything waiting in Redis may be lost, and is notified all the same", async () => {
    const redis = await startOwnRedis();
    backend = { kind: "redis", servers: redisAt(redis.url), namespace: "chainbell" };
    try {
      const webhook = await ledger.addWebhook({ url: receiver.url });
      // Nobody takes jobs yet: the claims lie in the queue.
      const relayOnly = await start({ isQueued: true });
      await relayOnly.dispatcher.stop();
      await ledger.addDispatcher(50);
      await ledger.addDeliveries(webhook, { count: 10 });
      await waitFor(
        async () => (await ledger.deliveries()).every(({ claim_token }) => claim_token !== null),
        { what: "claims in the queue", timeoutMs },
      );
      const client = new Redis(redis.url);
      await client.flushall();
      client.disconnect();
      await start();
      await untilStatus("delivered", 10);
      expect(receiver.requests).toHaveLength(10);
    } finally {
      await Promise.all(sides.map((side) => side.stop()));
      await redis.stop();
    }
  });

  /** Redis, and how it is lost. */
  const losses = {
    async "come back empty"() {
      const first = await startOwnRedis();
      let { stop } = first;
      const lose = async () => {
        await first.kill();
        ({ stop } = await startOwnRedis({ port: first.port }));
      };
      return { url: first.url, lose, stop: () => stop() };
    },
    async "be replaced by its Sentinel"() {
      const { url, loseFirst, end } = await startSentinels();
      return { url, lose: loseFirst, stop: end };
    },
  };

  it.each(Object.entries(losses))(
    "Redis may end in the middle of the work and %s",
    async (_how, startRedis) => {
      const redis = await startRedis();
      backend = { kind: "redis", servers: redisAt(redis.url), namespace: "chainbell" };
      try {
        const webhook = await ledger.addWebhook({ url: receiver.url });
        receiver.answerAlways({ kind: "delay", delayMs: 20, status: 200 });
        await start({ isQueued: true });
        await ledger.addDeliveries(webhook, { count: 100 });
        await receiver.waitForCount(20);
        await redis.lose();
        await untilStatus("delivered", 100);
        // No request that was under way was sent again.
        expect(idsHeard()).toHaveLength(100);
        expect(new Set(idsHeard()).size).toBe(100);
      } finally {
        await Promise.all(sides.map((side) => side.stop()));
        await redis.stop();
      }
    },
  );
});
