import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { sweepClaims } from "../../../../src/ledger/deliveries/reclaim.ts";
import { beginRecovery } from "../../../../src/ledger/deliveries/recover.ts";
import { pruneNotifications } from "../../../../src/ledger/notifications/prune-notifications.ts";
import { inTransaction, type Tx } from "../../../../src/ledger/postgres/transaction.ts";
import {
  changeWebhook as changeIn,
  deleteWebhook as deleteIn,
} from "../../../../src/ledger/webhooks/change-webhook.ts";
import { gate } from "../../../support/gate.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { changeWebhook, recoverDeliveries } from "../../../support/ledger/steps.ts";
import { waitFor } from "../../../support/wait-for.ts";
import {
  heldOpen,
  isSomeoneWaiting,
  lookNow,
  type Ordered,
  openOrdered,
  type Sent,
} from "./ordered.ts";

const ledger = eachTestLedger();
let world: Ordered;
let name: { businessId: string; webhookId: string };

beforeEach(async () => {
  world = await openOrdered(ledger, 5);
  const webhookId = await world.first(undefined, { isOrdered: true });
  name = { businessId: world.businessId, webhookId };
});

const placesOf = (sent: readonly Sent[]) => sent.map(({ place }) => place);

/** Another connection waits for a line, or for one that stands in it. */
const someoneWaits = () =>
  waitFor(() => isSomeoneWaiting(ledger), {
    what: "a connection that waits for a line",
    timeoutMs: 10_000,
  });

describe("the lines of wallets, with several connections", () => {
  it.each([
    ["has looked at its line", lookNow],
    ["has not looked at its line yet", async () => 0],
  ])("wakes what a commit appends that %s, while the one before it ends", async (_, look) => {
    const [a = ""] = world.walletIds;
    await world.deposit(a);
    const sent = await world.begin();
    const [appended, committed] = [gate(), gate()];
    const commit = world.depositAfter(async (tx) => {
      await look(tx);
      appended.open();
      await committed.isOpen;
    }, a);
    await appended.isOpen;
    const recorded = world.record(sent, "accepted");
    await (look === lookNow ? someoneWaits() : recorded);
    committed.open();
    await Promise.all([commit, recorded]);
    expect(await world.wrong()).toEqual([]);
    expect(placesOf(await world.begin())).toEqual([1]);
  });

  it.each([
    ["has looked at its line", lookNow],
    ["has not looked at its line yet", async () => 0],
  ])("wakes what is appended while a record of the one before it %s", async (_, look) => {
    const [a = ""] = world.walletIds;
    await world.deposit(a);
    await world.begin();
    const end = await heldOpen(ledger, async (tx) => {
      await tx.$executeRaw`
        UPDATE delivery SET status = 'delivered', wallet_id = NULL, claim_token = NULL, claim_expires_at = NULL, begun_at = NULL`;
      await look(tx);
    });
    const commit = world.deposit(a);
    await (look === lookNow ? someoneWaits() : commit);
    await Promise.all([end.commit(), commit]);
    expect(await world.wrong()).toEqual([]);
    expect(placesOf(await world.begin())).toEqual([1]);
  });

  it.each([
    ["no longer asks for the order", true, (tx: Tx) => changeIn(tx, name, { isOrdered: false })],
    ["asks for the order", false, (tx: Tx) => changeIn(tx, name, { isOrdered: true })],
    ["is deleted", true, (tx: Tx) => deleteIn(tx, name)],
  ])("leaves out nothing that moves before it is locked, where the webhook %s", async (...of) => {
    const [, isOrdered, change] = of;
    await changeWebhook(ledger.db, name, { isOrdered });
    const [other = "", a = ""] = world.walletIds;
    // The one that the other transaction holds has the least id, and is locked first.
    await world.deposit(a);
    await world.begin();
    for (const walletId of [a, other, other]) await world.deposit(walletId);
    const retried = await heldOpen(
      ledger,
      (tx) => tx.$executeRaw`
        UPDATE delivery SET claim_token = NULL, claim_expires_at = NULL, begun_at = NULL WHERE claim_token IS NOT NULL`,
    );
    const changed = inTransaction(ledger.db, async (tx) => {
      // As it is planned among many.
      await tx.$queryRaw`
        SELECT set_config(name, 'off', true)
        FROM unnest('{enable_hashjoin,enable_mergejoin,enable_seqscan,enable_bitmapscan}'::text[]) AS name`;
      await change(tx);
    });
    await someoneWaits();
    await Promise.all([retried.commit(), changed]);
    expect(await world.wrong()).toEqual([]);
    const waiting = await ledger.db.delivery.count({ where: { status: "waiting" } });
    expect(waiting).toBe((await ledger.db.webhook.count({ where: { deletedAt: null } })) * 4);
  });

  it("lets an older one wait for a claim that is not committed yet", async () => {
    const [a = ""] = world.walletIds;
    await world.deposit(a, a);
    await world.record(await world.begin(), "exhausted");
    const claim = await heldOpen(
      ledger,
      (tx) => tx.$executeRaw`
        UPDATE delivery SET claim_token = ${randomUUID()}::uuid, claim_expires_at = now() + interval '1 min'
        WHERE status = 'waiting'`,
    );
    expect(await recoverDeliveries(ledger.db, name, { since: new Date(0), until: null })).toEqual({
      queued: 1,
    });
    expect(await world.begin()).toEqual([]);
    await claim.commit();
    expect(await world.begin()).toEqual([]);
    await ledger.db
      .$executeRaw`UPDATE delivery SET claim_token = NULL, claim_expires_at = NULL WHERE status = 'waiting'`;
    expect(await world.wrong()).toEqual([]);
    const sent = await world.begin();
    expect(placesOf(sent)).toEqual([0]);
    await world.record(sent, "accepted");
    expect(placesOf(await world.begin())).toEqual([1]);
  });

  it("go on where a record whose claim is over holds the next one while the one before it ends", async () => {
    const [a = "", b = ""] = world.walletIds;
    await world.deposit(a);
    await world.record(await world.begin(), "exhausted");
    await world.deposit(a);
    const late = await world.begin();
    expect(placesOf(late)).toEqual([1]);
    await ledger.db.$executeRaw`
      UPDATE delivery SET claim_expires_at = now() - interval '1 ms' WHERE claim_token IS NOT NULL`;
    await sweepClaims(ledger.db, { schedule: [0, 0], random: () => 0, limit: 100 });
    // The older one stands before it again.
    await recoverDeliveries(ledger.db, name, { since: new Date(0), until: null });
    await world.deposit(b);
    const sent = await world.begin();
    const ofOther = sent.filter(({ walletId }) => walletId === b);
    const older = sent.find(({ walletId }) => walletId === a);
    expect([sent.length, ofOther.length, older?.place]).toEqual([2, 1, 0]);

    // The record has locked the late one, and waits for the other.
    const other = await heldOpen(
      ledger,
      (tx) => tx.$executeRaw`
        SELECT 1 FROM delivery WHERE id = ${ofOther[0]?.send.deliveryId}::uuid FOR NO KEY UPDATE`,
    );
    const recorded = world.record([...late, ...ofOther], "accepted");
    await someoneWaits();
    await ledger.db.$executeRaw`
      UPDATE delivery SET status = 'delivered', wallet_id = NULL, claim_token = NULL, claim_expires_at = NULL, begun_at = NULL
      WHERE id = ${older?.send.deliveryId}::uuid`;
    await Promise.all([other.commit(), recorded]);
    expect(await world.wrong()).toEqual([]);
    expect(placesOf(await world.begin())).toEqual([1]);
  });

  it("go on where retention holds the next one, which it keeps, while the one before it ends", async () => {
    const { db } = ledger;
    const [a = "", b = ""] = world.walletIds;
    await world.deposit(a, a);
    for (const place of [0, 1]) {
      const sent = await world.begin();
      expect(placesOf(sent)).toEqual([place]);
      await world.record(sent, "exhausted");
    }
    await world.deposit(b);
    await world.record(await world.begin(), "accepted");
    await db.$executeRaw`
      UPDATE notification SET created_at = now() - interval '9 days' WHERE sequence = 2`;
    const recovery = await heldOpen(ledger, (tx) =>
      beginRecovery(tx, name, { since: new Date(0), until: null }),
    );
    const pruned = pruneNotifications(db, { olderThanMs: 86_400_000, limit: 100 });
    await someoneWaits();
    const end = await heldOpen(ledger, (tx) => tx.$executeRaw`LOCK TABLE pruned_stream`);
    await recovery.commit();
    const isHeld = async () =>
      (
        await db.$queryRaw<unknown[]>`
          SELECT FROM pg_locks WHERE relation = 'pruned_stream'::regclass AND NOT granted`
      ).length > 0;
    await waitFor(isHeld, { what: "retention that holds the next one", timeoutMs: 10_000 });
    const sent = await world.begin();
    expect(placesOf(sent)).toEqual([0]);
    await world.record(sent, "accepted");
    await end.commit();
    expect(await pruned).toBe(0);
    expect(await world.wrong()).toEqual([]);
    expect(placesOf(await world.begin())).toEqual([1]);
  });

  it("sends one of each wallet at a time and in order, by four dispatchers of which some end", async () => {
    const [deposits, dispatchers] = [60, 4];
    const schedule = Array.from({ length: 100 }, () => 0);
    const random = randomOf(7);
    const underWay = new Map<string, string>();
    const next = new Map(world.walletIds.map((id) => [id, 0]));
    let hasFailed = false;
    const isOver = () =>
      hasFailed || [...next.values()].reduce((sum, count) => sum + count, 0) >= deposits;
    /** One that fails ends all. */
    const together = (...all: Promise<void>[]) =>
      Promise.all(
        all.map((one) =>
          one.catch((error) => {
            hasFailed = true;
            throw error;
          }),
        ),
      );

    /** A dispatcher that ends leaves its claims to their leases. */
    const abandon = async ({ send, walletId }: Sent) => {
      underWay.delete(walletId);
      await ledger.db.$executeRaw`
        UPDATE delivery SET claim_expires_at = now() - interval '1 ms' WHERE id = ${send.deliveryId}::uuid`;
      await sweepClaims(ledger.db, { schedule, random, limit: 100 });
    };
    const dispatch = async () => {
      while (!isOver()) {
        const sent = await world.begin(3);
        for (const one of sent) {
          expect([one.walletId, underWay.get(one.walletId)]).toEqual([one.walletId, undefined]);
          expect([one.walletId, one.place]).toEqual([one.walletId, next.get(one.walletId)]);
          underWay.set(one.walletId, one.send.deliveryId);
        }
        for (const one of sent) {
          const lot = random();
          if (lot < 0.1) {
            await abandon(one);
            continue;
          }
          underWay.delete(one.walletId);
          if (lot > 0.3) next.set(one.walletId, one.place + 1);
          await world.record([one], lot > 0.3 ? "accepted" : "retry", 0);
        }
      }
    };
    const write = async () => {
      for (let left = deposits; left > 0 && !hasFailed; left -= 5) {
        const to = Array.from({ length: 5 }, () => Math.floor(random() * world.walletIds.length));
        await world.deposit(...to.map((index) => world.walletIds[index] ?? ""));
      }
    };
    const disturb = async () => {
      while (!isOver()) {
        await changeWebhook(ledger.db, name, { isActive: false });
        await changeWebhook(ledger.db, name, { isActive: true });
        const asked = { since: new Date(0), until: null, include: ["waiting" as const] };
        await recoverDeliveries(ledger.db, name, asked);
      }
    };
    await together(write(), disturb(), ...Array.from({ length: dispatchers }, dispatch));
    expect(Object.fromEntries(next)).toEqual(Object.fromEntries(world.counts));
    expect(await world.wrong()).toEqual([]);
  });
});

/** The same numbers in [0, 1) at each run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
