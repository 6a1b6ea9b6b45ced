import { beforeEach, describe, expect, it } from "vitest";
import { redeliver } from "../../../../src/ledger/deliveries/redeliver.ts";
import { inTransaction } from "../../../../src/ledger/postgres/transaction.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { changeWebhook, deleteWebhook, finishSteps } from "../../../support/ledger/steps.ts";
import { waitFor } from "../../../support/wait-for.ts";
import {
  heldOpen,
  isSomeoneWaiting,
  type Ordered,
  openOrdered,
  type Sent,
} from "../deliveries/ordered.ts";

const ledger = eachTestLedger();
let world: Ordered;

beforeEach(async () => {
  world = await openOrdered(ledger, 2);
});

const nameOf = (webhookId: string) => ({ businessId: world.businessId, webhookId });
const placesOf = (sent: readonly Sent[]) => sent.map(({ place }) => place);
const count = (where: object) => ledger.db.delivery.count({ where });

/** Deposits to both wallets in turn. */
const deposits = (each: number) =>
  world.deposit(...Array.from({ length: each }, () => world.walletIds).flat());

/** Sends all, one of each wallet at a time. */
async function sendInOrder(): Promise<number[]> {
  const places: number[] = [];
  for (let sent = await world.begin(); sent.length > 0; sent = await world.begin()) {
    expect(new Set(sent.map(({ walletId }) => walletId)).size).toBe(sent.length);
    places.push(...placesOf(sent.filter(({ walletId }) => walletId === world.walletIds[0])));
    await world.record(sent, "accepted");
  }
  return places;
}

const upTo = (end: number) => Array.from({ length: end }, (_, place) => place);

describe("a webhook that is deleted while much waits for it", () => {
  it.each([
    ["without an order", {}],
    ["with an order", { isOrdered: true }],
  ])(
    "%s, sends nothing more, and cancels some at a time, whatever comes after it",
    async (_, order) => {
      const webhookId = await world.first(undefined, order);
      await deposits(225);
      const sent = await world.begin(10);
      expect(await deleteWebhook(ledger.db, nameOf(webhookId))).toEqual({ cancelled: 450 });
      // A commit that notifies the business waits for no more than some.
      expect(await count({ status: "cancelled" })).toBeLessThan(450);
      expect(await world.begin()).toEqual([]);
      await world.record(sent, "accepted");
      const later = await world.first("https://later.example/", order);
      await deposits(1);
      await finishSteps(ledger.db);
      expect(await count({ webhookId, status: "cancelled", walletId: null })).toBe(450);
      expect(await count({ webhookId: later })).toBe(2);
      expect(placesOf(await world.begin())).toEqual([225, 225]);
      expect(await world.wrong()).toEqual([]);
      expect(await ledger.db.webhook.count({ where: { leavesWaiting: true } })).toBe(0);
    },
  );

  it("lets go what it had given up and held in a line", async () => {
    const webhookId = await world.first(undefined, { isOrdered: true, holdsExhausted: true });
    await deposits(150);
    await world.record(await world.begin(), "exhausted");
    await deleteWebhook(ledger.db, nameOf(webhookId));
    await finishSteps(ledger.db);
    expect([await count({ status: "exhausted" }), await count({ status: "cancelled" })]).toEqual([
      2, 298,
    ]);
    expect(await count({ walletId: { not: null } })).toBe(0);
  });
});

describe("a webhook that asks for another order while much waits for it", () => {
  it("puts some at a time in lines, and sends nothing before all stand in them", async () => {
    const webhookId = await world.first();
    await deposits(300);
    await changeWebhook(ledger.db, nameOf(webhookId), { isOrdered: true });
    const inLines = () => count({ walletId: { not: null } });
    expect(await inLines()).toBeLessThan(600);
    expect(await world.begin()).toEqual([]);
    await deposits(1);
    await finishSteps(ledger.db);
    expect(await inLines()).toBe(602);
    expect(await world.wrong()).toEqual([]);
    const sent = await world.begin();
    expect(placesOf(sent)).toEqual([0, 0]);
    await world.record(sent, "accepted");

    await changeWebhook(ledger.db, nameOf(webhookId), { isOrdered: false });
    expect(await inLines()).toBeGreaterThan(0);
    await finishSteps(ledger.db);
    expect(await inLines()).toBe(0);
    expect(await world.wrong()).toEqual([]);
    expect(await world.begin()).toHaveLength(600);
  });

  it("ends with what it asked for last, also where another webhook takes its place meanwhile", async () => {
    const webhookId = await world.first();
    await deposits(300);
    for (const isOrdered of [true, false, true])
      await changeWebhook(ledger.db, nameOf(webhookId), { isOrdered });
    await world.first("https://next.example/");
    expect(await world.begin()).toEqual([]);
    await finishSteps(ledger.db);
    await ledger.db.webhook.updateMany({ data: { answeredAt: new Date() } });
    expect(await count({ walletId: { not: null } })).toBe(600);
    expect(await world.wrong()).toEqual([]);
    // All of them would take long.
    await ledger.db.delivery.deleteMany({ where: { notification: { sequence: { gt: 20 } } } });
    expect(await sendInOrder()).toEqual(upTo(10));
  });
});

describe("what is not committed yet when a webhook is changed", () => {
  /** Another connection waits for the record, or the change is over. */
  const overOrWaiting = (change: Promise<unknown>) =>
    Promise.race([
      change,
      waitFor(() => isSomeoneWaiting(ledger), {
        what: "a connection that waits",
        timeoutMs: 10_000,
      }),
    ]);
  const recorded = (status: string) =>
    heldOpen(
      ledger,
      (tx) => tx.$executeRaw`
        UPDATE delivery SET status = ${status}, claim_token = NULL, claim_expires_at = NULL, begun_at = NULL,
          wallet_id = CASE WHEN ${status} = 'exhausted' THEN wallet_id END
        WHERE claim_token IS NOT NULL`,
    );

  it("is a delivery that somebody asked for: it ends with its webhook", async () => {
    const [a = ""] = world.walletIds;
    const webhookId = await world.first();
    await world.deposit(a);
    await world.record(await world.begin(), "accepted");
    const { id: notificationId } = await ledger.db.notification.findFirstOrThrow();
    const asked = await heldOpen(ledger, (tx) =>
      redeliver(tx, { businessId: world.businessId, notificationId }),
    );
    const deleted = deleteWebhook(ledger.db, nameOf(webhookId));
    await overOrWaiting(deleted);
    await asked.commit();
    await deleted;
    expect(await count({ status: "waiting" })).toBe(0);
    await world.first("https://next.example/");
    await inTransaction(ledger.db, (tx) =>
      redeliver(tx, { businessId: world.businessId, notificationId }),
    );
    expect(await world.begin()).toHaveLength(1);
  });

  it("is a record: it holds no line once its webhook has asked to continue", async () => {
    const [a = ""] = world.walletIds;
    const webhookId = await world.first(undefined, { isOrdered: true, holdsExhausted: true });
    await world.deposit(a, a);
    expect(placesOf(await world.begin())).toEqual([0]);
    const record = await recorded("exhausted");
    const changed = changeWebhook(ledger.db, nameOf(webhookId), { holdsExhausted: false });
    await overOrWaiting(changed);
    await record.commit();
    await changed;
    expect(placesOf(await world.begin())).toEqual([1]);
    expect(await world.wrong()).toEqual([]);
  });
});
