import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { RecoveryAsked } from "../../../../src/domain/delivery/delivery.ts";
import { claimDeliveries } from "../../../../src/ledger/deliveries/claim-deliveries.ts";
import { emptyMemory } from "../../../../src/ledger/deliveries/claim-memory.ts";
import {
  readDeliveryRecovery,
  readRecoveries,
} from "../../../../src/ledger/deliveries/read-recoveries.ts";
import { recoverSome } from "../../../../src/ledger/deliveries/recover.ts";
import { previewRecovery } from "../../../../src/ledger/deliveries/recoverable.ts";
import { Prisma } from "../../../../src/ledger/generated/client.ts";
import { inTransaction } from "../../../../src/ledger/postgres/transaction.ts";
import { createReassigner } from "../../../../src/outbox/reassigner.ts";
import { systemClock as clock } from "../../../../src/runtime/clock.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { insertBusiness } from "../../../support/ledger/ledger-fixtures.ts";
import {
  addWebhook,
  beginRecovery,
  changeWebhook,
  deleteWebhook,
  finishSteps,
  registerWebhook,
} from "../../../support/ledger/steps.ts";
import { quiet } from "../../../support/quiet.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { openOrdered } from "./ordered.ts";
import { limits } from "./seed.ts";

const ledger = eachTestLedger();
let businessId: string;
let name: { businessId: string; webhookId: string };

/** The first notification is of this time, and each next one a second later. */
const since = new Date("2026-01-01T00:00:00Z");
const at = (place: number) => new Date(since.getTime() + place * 1_000);
const asked: RecoveryAsked = { since, until: null };

const registration = (url = "https://a.example/") => ({
  businessId,
  url,
  secretCiphertext: "sealed",
});

beforeEach(async () => {
  businessId = await insertBusiness(ledger.db);
  const { webhook } = await registerWebhook(ledger.db, registration());
  name = { businessId, webhookId: webhook.id };
});

/** Deliveries of notifications with the places `from` to `to`, the last one not included. */
async function insert(
  [from, to]: readonly [number, number],
  row: { status?: string; isClaimed?: boolean } = {},
  of = name,
): Promise<void> {
  const { status = "exhausted", isClaimed = false } = row;
  const claim = isClaimed ? Prisma.sql`gen_random_uuid()` : Prisma.sql`NULL::uuid`;
  await ledger.db.$executeRaw`
    WITH written AS (
      INSERT INTO notification (id, business_id, state, event, body, created_at)
      SELECT gen_random_uuid(), ${of.businessId}::uuid, 'confirmed', 'transaction.deposit',
        '{"data":{"blockchain":"ethereum","asset":"ETH","walletId":"w","reference":null,"amount":"' || i % 10 || '"}}',
        ${since}::timestamptz + i * interval '1 second'
      FROM generate_series(${from}::int, ${to - 1}::int) i RETURNING id, created_at
    )
    INSERT INTO delivery (id, notification_id, business_id, webhook_id, status, attempts, due_at, claim_token, claim_expires_at,
      created_at)
    SELECT gen_random_uuid(), id, ${of.businessId}::uuid, ${of.webhookId}::uuid, ${status}, 7,
      now() + interval '1 hour', ${claim}, CASE WHEN ${isClaimed}::boolean THEN now() + interval '1 hour' END, created_at
    FROM written ORDER BY created_at`;
}

const begin = (what: Partial<RecoveryAsked> = {}) =>
  beginRecovery(ledger.db, name, { ...asked, ...what });

const read = (recoveryId: string) => readDeliveryRecovery(ledger.db, { ...name, recoveryId });

/** Does the batches of recoveries in its own loop, until the test ends. */
async function startReassigner(moveWaiting: () => Promise<number | null> = async () => null) {
  const loop = createReassigner({
    ledger: {
      moveWaiting,
      arrangeWaiting: async () => false,
      recoverSome: () => recoverSome(ledger.db),
    },
    clock,
    log: quiet,
  });
  onTestFinished(loop.stop);
  await loop.start();
  return loop;
}

/** The deliveries that are due now and have no attempt. */
const countDue = () =>
  ledger.db.delivery.count({
    where: { status: "waiting", attempts: 0, dueAt: { lte: new Date() } },
  });

const countWith = (status: string) => ledger.db.delivery.count({ where: { status } });

describe("a recovery of many", () => {
  it("is done in batches of a thousand, each of them once, and says how far it is", async () => {
    await insert([0, 2_500]);
    const begun = await begin();
    expect(begun).toMatchObject({
      state: "running",
      queued: 1_000,
      position: at(999),
      through: at(2_499),
      endedAt: null,
    });
    expect(await countDue()).toBe(1_000);
    expect(await recoverSome(ledger.db)).toBe(1_000);
    expect(await read(begun.id)).toMatchObject({ queued: 2_000, position: at(1_999) });
    // Given up again meanwhile: what has been looked at is not queued once more.
    await ledger.db.delivery.updateMany({
      where: { status: "waiting" },
      data: { status: "exhausted" },
    });
    expect(await recoverSome(ledger.db)).toBe(500);
    expect(await recoverSome(ledger.db)).toBeNull();
    const ended = await read(begun.id);
    expect(ended).toMatchObject({ state: "done", queued: 2_500, position: at(2_499) });
    expect(ended.endedAt).toBeInstanceOf(Date);
    expect([await countDue(), await countWith("exhausted")]).toEqual([500, 2_000]);
  });

  it("leaves out what was written after it was asked for", async () => {
    await insert([0, 1_200]);
    const { id } = await begin();
    await insert([1_200, 1_300]);
    expect(await recoverSome(ledger.db)).toBe(200);
    expect(await read(id)).toMatchObject({ state: "done", queued: 1_200 });
    expect(await countWith("exhausted")).toBe(100);
  });

  it("is done with its first batch where that is all, or nothing", async () => {
    expect(await begin()).toMatchObject({ state: "done", queued: 0, position: null });
    await insert([0, 1_000]);
    expect(await begin()).toMatchObject({ state: "done", queued: 1_000 });
    expect(await begin({ until: at(0) })).toMatchObject({ state: "done", queued: 0 });
  });

  it("passes over what was delivered, ten thousand at a time", async () => {
    await insert([0, 10_050], { status: "delivered" });
    await insert([10_050, 10_060]);
    const begun = await begin();
    expect(begun).toMatchObject({ state: "running", queued: 0, position: at(9_999) });
    expect(await recoverSome(ledger.db)).toBe(10);
    expect((await read(begun.id)).state).toBe("done");
  });

  it("queues again what its preview shows, with a filter too", async () => {
    await insert([0, 2_500]);
    await insert([2_500, 2_600], { status: "delivered" });
    const what = {
      until: at(2_400),
      include: ["exhausted"] as const,
      filter: { minAmount: { ETH: "8" } },
    };
    const preview = await previewRecovery(ledger.db, name, { ...asked, ...what });
    expect(preview.count).toBe(480);
    const begun = await begin(what);
    while ((await recoverSome(ledger.db)) !== null);
    expect(await read(begun.id)).toMatchObject({ state: "done", queued: 480 });
    expect(await countDue()).toBe(480);
  });

  it("makes retries due, with their attempts, and leaves those alone that are claimed", async () => {
    await insert([0, 1_100], { status: "waiting" });
    await insert([1_100, 1_150], { status: "waiting", isClaimed: true });
    await insert([1_150, 1_200], { status: "waiting" });
    await begin({ include: ["waiting"] });
    expect(await recoverSome(ledger.db)).toBe(150);
    const isDue = { attempts: 7, dueAt: { lte: new Date() } };
    expect(await ledger.db.delivery.count({ where: { ...isDue, claimToken: null } })).toBe(1_150);
    const claimed = { claimToken: { not: null }, dueAt: { gt: new Date() } };
    expect(await ledger.db.delivery.count({ where: claimed })).toBe(50);
  });
});

describe("a process that ends in a batch", () => {
  it("has done nothing of it, and two others do the rest once", async () => {
    await insert([0, 2_500]);
    const { id } = await begin();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const [last] = await ledger.db.delivery.findMany({
      where: { notification: { createdAt: at(1_999) } },
    });
    let isHeld = () => {};
    const held = new Promise<void>((resolve) => {
      isHeld = resolve;
    });
    const holder = inTransaction(ledger.db, async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM delivery WHERE id = ${last?.id}::uuid FOR UPDATE`;
      isHeld();
      await released;
    });
    await held;
    const killed = recoverSome(ledger.db).then(
      () => "done",
      () => "killed",
    );
    await waitFor(
      async () => {
        const rows = await ledger.db.$queryRaw<unknown[]>`
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return rows.length > 0;
      },
      { what: "the batch that waits for a delivery", timeoutMs: 10_000 },
    );
    expect(await killed).toBe("killed");
    release();
    await holder;
    expect(await read(id)).toMatchObject({ state: "running", queued: 1_000, position: at(999) });
    expect([await countDue(), await countWith("exhausted")]).toEqual([1_000, 1_500]);
    const rest = async () => {
      let sum = 0;
      for (let some = await recoverSome(ledger.db); some !== null; ) {
        sum += some;
        some = await recoverSome(ledger.db);
      }
      return sum;
    };
    const [one, other] = await Promise.all([rest(), rest()]);
    expect(one + other).toBe(1_500);
    expect(await read(id)).toMatchObject({ state: "done", queued: 2_500 });
    expect(await countDue()).toBe(2_500);
  });

  it("is followed by the next, where it is stopped between two", async () => {
    await insert([0, 2_500]);
    const { id } = await begin();
    const until = (queued: number) =>
      waitFor(async () => (await read(id)).queued >= queued, {
        what: `${queued} that are queued again`,
        timeoutMs: 60_000,
      });
    const first = await startReassigner();
    await until(2_000);
    await first.stop();
    await startReassigner();
    await until(2_500);
    expect(await read(id)).toMatchObject({ state: "done", queued: 2_500 });
    expect(await countDue()).toBe(2_500);
  });

  it("goes on where what waits for a replaced webhook cannot be moved", async () => {
    await insert([0, 1_500]);
    const { id } = await begin();
    await startReassigner(() => Promise.reject(new Error("no database")));
    await waitFor(async () => (await read(id)).state === "done", {
      what: "the recovery is done",
      timeoutMs: 60_000,
    });
    expect(await countDue()).toBe(1_500);
  });
});

describe("a webhook with a recovery that is running", () => {
  it("is not planned by statistics of when the tables were empty", async () => {
    await insert([0, 1_500]);
    // A few rows on many pages: so PostgreSQL expects one row, and would find all anew for each.
    await ledger.db.$executeRaw`
      UPDATE pg_class SET reltuples = 1, relpages = 100000
      WHERE oid IN ('delivery'::regclass, 'notification'::regclass)`;
    try {
      expect(await begin()).toMatchObject({ state: "running", queued: 1_000 });
    } finally {
      await ledger.db.$executeRaw`ANALYZE delivery, notification`;
    }
  });

  it("has no second one, and others have theirs", async () => {
    await insert([0, 1_500]);
    const { id } = await begin();
    await expect(begin()).rejects.toMatchObject({
      code: "recovery_running",
      message: expect.stringContaining(id),
    });
    const { webhook } = await addWebhook(ledger.db, {
      ...registration("https://b.example/"),
      most: 2,
    });
    const other = { businessId, webhookId: webhook.id };
    expect((await beginRecovery(ledger.db, other, asked)).state).toBe("done");
    expect(await recoverSome(ledger.db)).toBe(500);
    expect((await begin()).state).toBe("done");
  });

  it("is deleted: the recovery has failed, and nothing more is queued", async () => {
    await insert([0, 1_500]);
    const { id } = await begin();
    expect(await deleteWebhook(ledger.db, name)).toEqual({ cancelled: 1_000 });
    expect(await recoverSome(ledger.db)).toBeNull();
    await finishSteps(ledger.db);
    const failed = await read(id);
    expect(failed).toMatchObject({ state: "failed", queued: 1_000 });
    expect(failed.endedAt).toBeInstanceOf(Date);
    expect([await countWith("cancelled"), await countWith("exhausted")]).toEqual([1_000, 500]);
  });

  it("is replaced: what is queued goes to the next, whose own recovery is for the rest", async () => {
    await insert([0, 1_500]);
    const { id } = await begin();
    const { webhook } = await registerWebhook(ledger.db, registration("https://b.example/"));
    expect((await read(id)).state).toBe("failed");
    const later = { businessId, webhookId: webhook.id };
    const again = await beginRecovery(ledger.db, later, asked);
    expect(again).toMatchObject({ state: "running", queued: 1_000 });
    while ((await recoverSome(ledger.db)) !== null);
    // Those of the first thousand that had not moved yet were held, and are in it.
    expect(await countDue()).toBe(1_500);
    expect(await ledger.db.delivery.count({ where: later })).toBe(1_500);
  });

  it("is paused: the recovery waits, and goes on with it", async () => {
    await insert([0, 1_500]);
    const { id } = await begin();
    await changeWebhook(ledger.db, name, { isActive: false });
    expect(await recoverSome(ledger.db)).toBeNull();
    expect(await read(id)).toMatchObject({ state: "running", queued: 1_000 });
    await changeWebhook(ledger.db, name, { isActive: true });
    expect(await recoverSome(ledger.db)).toBe(500);
    expect((await read(id)).state).toBe("done");
  });
});

describe("a webhook whose receiver is said to be back while many retries wait", () => {
  const activate = () => changeWebhook(ledger.db, name, { isActive: true });
  const countNow = () =>
    ledger.db.delivery.count({ where: { attempts: 7, dueAt: { lte: new Date() } } });

  it("makes some due at once, and the others by a recovery, however often it is said", async () => {
    await insert([0, 2_500], { status: "waiting" });
    await insert([2_500, 2_510], { status: "exhausted" });
    await activate();
    expect(await countNow()).toBe(1_000);
    await activate();
    expect(await countNow()).toBe(2_000);
    expect(await recoverSome(ledger.db)).toBe(500);
    while ((await recoverSome(ledger.db)) !== null);
    expect([await countNow(), await countWith("exhausted")]).toEqual([2_500, 10]);
    const { rows } = await readRecoveries(ledger.db, name, { limit: 10, afterId: null });
    const done = { state: "done", queued: 500, include: ["waiting"], filter: null };
    expect(rows).toMatchObject([done]);
    // It reads no notification that is much older than what waits.
    expect(Number(rows[0]?.since)).toBeGreaterThanOrEqual(at(-86_400).getTime());
  });

  it("needs no recovery for a few, nor for another webhook's, and goes on beside one", async () => {
    const other = (await addWebhook(ledger.db, registration("https://b.example/"))).webhook.id;
    await insert([0, 1_500], { status: "waiting" }, { ...name, webhookId: other });
    await insert([1_500, 1_600], { status: "waiting" });
    await activate();
    expect([await countNow(), await ledger.db.recovery.count()]).toEqual([100, 0]);
    await insert([1_600, 4_200], { status: "exhausted" });
    const { id } = await begin({ include: ["exhausted"] });
    await insert([4_200, 5_700], { status: "waiting" });
    await activate();
    expect(await countNow()).toBe(1_100);
    expect(await read(id)).toMatchObject({ state: "running", include: ["exhausted"] });
  });
});

describe("a webhook that asks for an order", () => {
  const ordered = { isOrdered: true };
  const everyPlace = Array.from({ length: 9 }, (_, place) => place);

  /** All that is sent until nothing is due, by its place among those of its wallet. */
  async function sent(world: Awaited<ReturnType<typeof openOrdered>>): Promise<number[]> {
    const places: number[] = [];
    for (;;) {
      const turn = await world.begin();
      if (turn.length === 0) return places;
      places.push(...turn.map(({ place }) => place));
      await world.record(turn, "accepted");
    }
  }

  async function giveUpAll(): Promise<void> {
    await ledger.db.$executeRaw`
      UPDATE delivery SET status = 'exhausted', attempts = 7, wallet_id = NULL, is_behind = false
      WHERE status = 'waiting'`;
  }

  /** Eight deposits that were given up, of which one batch looks at four, and one that waits. */
  async function planted(order: { isOrdered?: boolean }) {
    const world = await openOrdered(ledger, 1);
    const own = { businessId: world.businessId, webhookId: await world.first(undefined, order) };
    const [wallet = ""] = world.walletIds;
    const count = 8;
    for (let place = 0; place < count; place += 1) await world.deposit(wallet);
    await giveUpAll();
    await ledger.db.$executeRaw`
      UPDATE notification n SET created_at = ${since}::timestamptz + x.place * interval '2500 seconds' + interval '1 ms'
      FROM (SELECT notification_id, row_number() OVER (ORDER BY seq) - 1 AS place FROM delivery
        WHERE business_id = ${own.businessId}::uuid) x WHERE n.id = x.notification_id`;
    await insert([0, 2_500 * count], { status: "delivered" }, own);
    await world.deposit(wallet);
    return { world, own };
  }

  it.each([
    ["is sent nothing until the last batch is done, and then", ordered, [[], everyPlace]],
    [
      "asks for none any more: is sent each batch at once",
      {},
      [
        [0, 1, 2, 3, 8],
        [4, 5, 6, 7],
      ],
    ],
  ])("%s in the order of the ledger", async (_, order, expected) => {
    const { world, own } = await planted(order);
    const begun = await beginRecovery(ledger.db, own, asked);
    expect(begun).toMatchObject({ state: "running", queued: 4 });
    const before = await sent(world);
    while ((await recoverSome(ledger.db)) !== null);
    expect(await world.wrong()).toEqual([]);
    expect([before, await sent(world)]).toEqual(expected);
    expect(await countWith("exhausted")).toBe(0);
  });

  it("is sent again as soon as it asks for no order any more", async () => {
    const { world, own } = await planted(ordered);
    await beginRecovery(ledger.db, own, asked);
    const memory = emptyMemory();
    expect(await claimDeliveries(ledger.db, limits, memory)).toEqual([]);
    await changeWebhook(ledger.db, own, { isOrdered: false });
    expect(await claimDeliveries(ledger.db, limits, memory)).toMatchObject([{ deliveries: 5 }]);
    expect(await world.wrong()).toEqual([]);
  });

  it("has what one block wrote in one batch: their ids have no order", async () => {
    const world = await openOrdered(ledger, 1);
    const own = { businessId: world.businessId, webhookId: await world.first(undefined, ordered) };
    const [wallet = ""] = world.walletIds;
    await world.deposit(...Array.from({ length: 20 }, () => wallet));
    await giveUpAll();
    await insert([0, 9_990], { status: "delivered" }, own);
    const begun = await beginRecovery(ledger.db, own, asked);
    expect(begun).toMatchObject({ state: "done", queued: 20 });
    expect(await sent(world)).toEqual(Array.from({ length: 20 }, (_, place) => place));
  });
});
