import { beforeEach, describe, expect, it } from "vitest";
import { toChecksum } from "../../../../src/domain/chain/checksum.ts";
import { sightingEvent } from "../../../../src/domain/delivery/notification.ts";
import type { WebhookFilter } from "../../../../src/domain/webhook/filter.ts";
import { checkLedger } from "../../../../src/ledger/evidence/check-ledger.ts";
import { readFeed } from "../../../../src/ledger/notifications/read-feed.ts";
import { readNotifications } from "../../../../src/ledger/notifications/read-notifications.ts";
import { reportSightings } from "../../../../src/ledger/sightings/report-sightings.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import {
  insertBusiness,
  insertTransaction,
  moveChainTo,
  newWallet,
} from "../../../support/ledger/ledger-fixtures.ts";
import { insertSighting } from "../../../support/ledger/sightings.ts";
import {
  addWallets,
  addWebhook,
  changeWebhook,
  recoverDeliveries,
  redeliver,
  registerWebhook,
} from "../../../support/ledger/steps.ts";

const ledger = eachTestLedger();
const chainName = "ethereum";
let to: { businessId: string; walletId: string; toAddress: string };

beforeEach(async () => {
  const { db } = ledger;
  const businessId = await insertBusiness(db);
  const wallet = newWallet({ reference: "shop-17", label: "Till" });
  const [added] = await addWallets(db, { businessId, wallets: [wallet] });
  to = { businessId, walletId: added?.id ?? "", toAddress: wallet.address };
  await moveChainTo(db, chainName, 200n);
  await db.chain.update({ where: { name: chainName }, data: { confirmedNumber: 150n } });
});

const asking: WebhookFilter = { events: [sightingEvent] };
const registration = (name: string, filter?: WebhookFilter) => ({
  businessId: to.businessId,
  url: `https://${name}.example/`,
  secretCiphertext: `sealed for ${name}`,
  ...(filter === undefined ? {} : { filter }),
});
const first = async (filter?: WebhookFilter) =>
  (await registerWebhook(ledger.db, registration("first", filter))).webhook.id;
const add = async (name: string, filter?: WebhookFilter) =>
  (await addWebhook(ledger.db, { ...registration(name, filter), most: 16 })).webhook.id;

const sight = (fields: { blockNumber?: bigint; timeMs?: number } = {}) =>
  insertSighting(ledger.db, { ...to, ...fields });
const report = (...ids: string[]) =>
  reportSightings(
    ledger.db,
    chainName,
    ids.map((id) => ({ id, symbol: "USDT" })),
  );

/** A sighting that is reported: how many were notified of it. */
async function notifiedOf(filter: WebhookFilter | undefined): Promise<number> {
  await first(filter);
  return (await report((await sight()).id)).notified;
}

const written = () =>
  ledger.db.notification.findMany({
    orderBy: { createdAt: "asc" },
    include: {
      deliveries: { orderBy: [{ seq: "asc" }, { isAdditional: "asc" }, { webhookId: "asc" }] },
    },
  });

const listed = async () => {
  const page = { limit: 50, afterId: null };
  const { businessId } = to;
  return (await readNotifications(ledger.db, { businessId, filter: {}, page })).rows;
};

describe("token.unlisted", () => {
  it("goes to the webhook whose filter names it, and says whose word it is", async () => {
    const webhookId = await first(asking);
    const sighting = await sight();
    expect(await report(sighting.id)).toEqual({ notified: 1 });
    const [row] = await written();
    expect(row).toMatchObject({
      event: "token.unlisted",
      state: "sighted",
      transactionId: null,
      walletId: to.walletId,
      sequence: null,
      chainName: null,
      isFiltered: false,
      deliveries: [{ webhookId, status: "waiting", previousId: null, walletId: null }],
    });
    expect(JSON.parse(row?.body ?? "")).toMatchObject({
      id: row?.id,
      event: "token.unlisted",
      data: {
        sightingId: sighting.id,
        walletId: to.walletId,
        label: "Till",
        reference: "shop-17",
        unverifiedSymbol: "USDT",
        rawAmount: sighting.amount,
        blockHash: sighting.blockHash,
        status: "sighted",
      },
    });
    expect(JSON.parse(row?.body ?? "")).not.toHaveProperty("sequence");
    expect(await readFeed(ledger.db, feedAsked())).toMatchObject({ kind: "page", entries: [] });
    expect((await checkLedger(ledger.db)).findings).toEqual([]);
  });

  const nobody: [string, WebhookFilter | undefined][] = [
    ["has no filter", undefined],
    ["has a filter without events", { blockchains: [chainName] }],
    ["names other events", { events: ["transaction.deposit"] }],
    ["speaks of an asset", { events: [sightingEvent, "transaction.deposit"], assets: ["USDC"] }],
    ["names another reference", { ...asking, references: ["bar-"] }],
  ];
  it.each(nobody)("is not even written where the webhook %s", async (_, filter) => {
    expect(await notifiedOf(filter)).toBe(0);
    expect(await written()).toEqual([]);
    const { reportedAt, symbol } = await ledger.db.sighting.findFirstOrThrow();
    expect([reportedAt === null, symbol]).toEqual([false, "USDT"]);
  });

  it("is not held for a webhook that comes later", async () => {
    expect(await report((await sight()).id)).toEqual({ notified: 0 });
    await first(asking);
    expect(await written()).toEqual([]);
  });

  it("goes by chain, wallet and reference", async () => {
    const { walletId } = to;
    const whole = { ...asking, blockchains: [chainName], walletIds: [walletId] };
    expect(await notifiedOf({ ...whole, references: ["shop-"] })).toBe(1);
  });

  it("says whom the sender only looks like", async () => {
    await first(asking);
    const { walletId } = to;
    const [paid, poisoner] = ["3", "9"].map((one) => `0xa1b2${one.repeat(32)}c4d5`);
    await insertTransaction(ledger.db, { walletId, type: "withdrawal", other: paid ?? "" });
    for (const fromAddress of [paid, poisoner])
      await report((await insertSighting(ledger.db, { ...to, fromAddress: fromAddress ?? "" })).id);
    const said = (await written()).map(({ body }) => JSON.parse(body).data);
    const marks = said.map(({ fromAddress, lookalikeOf }) => [fromAddress, lookalikeOf] as const);
    expect(new Map(marks)).toEqual(
      new Map([
        [toChecksum(paid ?? ""), undefined],
        [toChecksum(poisoner ?? ""), toChecksum(paid ?? "")],
      ]),
    );
  });

  it("goes to an additional webhook alone, beside a first one that did not ask", async () => {
    await first();
    const second = await add("second", asking);
    await add("third", { references: ["shop-"] });
    await report((await sight()).id);
    const [row] = await written();
    expect(row?.deliveries).toMatchObject([{ webhookId: second, isAdditional: true }]);
    expect((await listed()).map(({ status }) => status)).toEqual(["filtered"]);
  });

  it("is held, queued again and sent again as any other", async () => {
    const webhookId = await first(asking);
    await changeWebhook(ledger.db, { ...to, webhookId }, { isActive: false });
    await report((await sight()).id);
    const statuses = async () => (await listed()).map(({ status }) => status);
    expect(await statuses()).toEqual(["held"]);
    await changeWebhook(ledger.db, { ...to, webhookId }, { isActive: true });
    await ledger.db.delivery.updateMany({ data: { status: "exhausted" } });
    const since = new Date(0);
    expect(
      await recoverDeliveries(ledger.db, { ...to, webhookId }, { since, until: null }),
    ).toEqual({
      queued: 1,
    });
    await ledger.db.delivery.updateMany({ data: { status: "delivered" } });
    const [row] = await written();
    await redeliver(ledger.db, { businessId: to.businessId, notificationId: row?.id ?? "" });
    expect((await written())[0]?.deliveries).toHaveLength(2);
  });

  it("stands in the line of its wallet, one behind the other", async () => {
    await registerWebhook(ledger.db, { ...registration("first", asking), isOrdered: true });
    const [one, two] = [await sight({ timeMs: 1_000 }), await sight({ timeMs: 2_000 })];
    await report(two.id, one.id);
    const rows = await ledger.db.delivery.findMany({
      orderBy: [{ seq: "asc" }, { isAdditional: "asc" }, { webhookId: "asc" }],
      include: { notification: true },
    });
    const shown = rows.map(({ isBehind, notification: { body } }) => [
      JSON.parse(body).data.sightingId,
      isBehind,
    ]);
    expect(shown).toEqual([
      [one.id, false],
      [two.id, true],
    ]);
    expect((await checkLedger(ledger.db)).findings).toEqual([]);
  });
});

describe("a sighting that is reported", () => {
  it("is notified once, also where its row is made anew", async () => {
    await first(asking);
    const { id } = await sight();
    await Promise.all([report(id), report(id)]);
    const [row, ...others] = await written();
    expect(others).toEqual([]);
    const forget = () => ledger.db.sighting.updateMany({ data: { reportedAt: null } });
    await forget();
    expect(await report(id)).toEqual({ notified: 0 });
    await ledger.db.delivery.deleteMany();
    await ledger.db.notification.deleteMany();
    await forget();
    expect(await report(id)).toEqual({ notified: 1 });
    expect((await written()).map((again) => again.id)).toEqual([row?.id]);
  });

  it("is neither reported nor notified where its block was undone or waits again", async () => {
    await first(asking);
    const undone = await sight();
    await ledger.db.sighting.updateMany({ data: { isUndone: true } });
    const waits = await sight({ blockNumber: 151n });
    expect(await report(undone.id, waits.id)).toEqual({ notified: 0 });
    const rows = await ledger.db.sighting.findMany();
    expect(rows.map(({ reportedAt }) => reportedAt)).toEqual([null, null]);
  });

  it("is not reported where the notification cannot be written", async () => {
    await first(asking);
    const { id } = await sight();
    await ledger.db.$executeRaw`
      CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'ended'; END $$`;
    await ledger.db.$executeRaw`
      CREATE TRIGGER fail_once AFTER INSERT ON notification FOR EACH ROW EXECUTE FUNCTION fail_once()`;
    await expect(report(id)).rejects.toThrow("ended");
    expect((await ledger.db.sighting.findFirstOrThrow()).reportedAt).toBeNull();
    await ledger.db.$executeRaw`DROP TRIGGER fail_once ON notification`;
    expect(await report(id)).toEqual({ notified: 1 });
  });
});

function feedAsked() {
  return { businessId: to.businessId, after: null, limit: 10, filter: null };
}
