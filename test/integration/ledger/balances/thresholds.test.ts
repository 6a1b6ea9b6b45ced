import fc from "fast-check";
import { beforeEach, describe, expect, it, test } from "vitest";
import { toAtomic, toDecimal } from "../../../../src/domain/money/amount.ts";
import { checkLedger } from "../../../../src/ledger/evidence/check-ledger.ts";
import { Prisma } from "../../../../src/ledger/generated/client.ts";
import { pruneNotifications } from "../../../../src/ledger/notifications/prune-notifications.ts";
import { readFeed } from "../../../../src/ledger/notifications/read-feed.ts";
import { readThresholds } from "../../../../src/ledger/watchlist/thresholds.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import {
  insertBusiness,
  markSynced,
  newWallet,
  testChain,
} from "../../../support/ledger/ledger-fixtures.ts";
import {
  addWallets,
  addWebhook,
  archiveWallet,
  changeWebhook,
  configureChains,
  deleteWebhook,
  recoverDeliveries,
  redeliver,
  registerWebhook,
  setThresholds,
} from "../../../support/ledger/steps.ts";
import { writtenChain } from "../../../support/ledger/written-chain.ts";

const ledger = eachTestLedger();
let to: { businessId: string; walletId: string; address: string };
let chain: Awaited<ReturnType<typeof writtenChain>>;

/** In units of the coin's last decimal. */
const units = (amount: number) => toDecimal(BigInt(amount), 18);

const threshold = (below: number, restoredFrom: number | null = null) => ({
  assetCode: "ETH",
  below: units(below),
  restoredFrom: restoredFrom === null ? null : units(restoredFrom),
});

const set = (...thresholds: ReturnType<typeof threshold>[]) =>
  setThresholds(ledger.db, { businessId: to.businessId, walletId: to.walletId, thresholds });

/** Writes blocks, each with one movement, and confirms them all. */
async function move(...effects: number[]): Promise<void> {
  for (const effect of effects) {
    await chain.commit(effect === 0 ? [] : [{ ...to, effectAtomic: BigInt(effect) }]);
  }
  await confirmAll();
}

const confirmAll = async () => {
  await chain.commit([]);
  await chain.commit([]);
};

type Data = { status: string; below: string; balance: string; crossing: number };

/** The notifications about balances, in the order in which they were written. */
async function told(): Promise<(Data & { id: string })[]> {
  const rows = await ledger.db.notification.findMany({
    where: { state: { in: ["below", "restored"] } },
    include: { deliveries: { orderBy: [{ seq: "asc" }, { isAdditional: "asc" }], take: 1 } },
  });
  const order = (row: (typeof rows)[number]) => Number(row.deliveries[0]?.seq ?? 0n);
  return rows
    .sort((a, b) => order(a) - order(b))
    .map(({ id, body }) => ({ ...(JSON.parse(body) as { data: Data }).data, id }));
}

const states = async () => (await told()).map(({ status }) => status);
const unitsOf = (decimal: string) => Number(toAtomic(decimal, 18));
const now = () => readThresholds(ledger.db, to.walletId);
/** Nobody has read the transactions of these blocks: what they say of themselves is made up. */
const findings = async () =>
  (await checkLedger(ledger.db)).findings.filter(({ kind }) => kind !== "transaction_changed");

beforeEach(async () => {
  const { db } = ledger;
  const businessId = await insertBusiness(db);
  const wallet = newWallet({ reference: "hot-1" });
  const [added] = await addWallets(db, { businessId, wallets: [wallet] });
  to = { businessId, walletId: added?.id ?? "", address: wallet.address };
  chain = await writtenChain(db, "ethereum");
  await db.$executeRaw`UPDATE balance SET opening = 0`;
});

describe("the thresholds of a wallet", () => {
  it("notify once each time that the confirmed balance crosses one", async () => {
    await registerWebhook(ledger.db, {
      businessId: to.businessId,
      url: "https://first.example/",
      secretCiphertext: "sealed",
    });
    await move(200);
    await set(threshold(100, 150));
    expect(await told()).toEqual([]);
    await move(-99, -2, -50, 60, 10, 32, -1, 5, -106);
    expect(await told()).toMatchObject([
      { status: "below", balance: units(99), crossing: 1 },
      { status: "restored", balance: units(151), crossing: 2 },
      { status: "below", balance: units(49), crossing: 3 },
    ]);
    expect(await now()).toMatchObject([{ belowAtomic: 100n, isBelow: true }]);
    const row = await ledger.db.notification.findFirstOrThrow({
      where: { state: "below" },
      include: { deliveries: true },
    });
    expect(row).toMatchObject({
      event: "wallet.balance_below",
      transactionId: null,
      walletId: to.walletId,
      sequence: null,
      chainName: null,
      isFiltered: false,
    });
    expect(row.deliveries).toMatchObject([{ status: "waiting", previousId: null }]);
    expect(JSON.parse(row.body).data).toMatchObject({
      walletId: to.walletId,
      reference: "hot-1",
      blockchain: "ethereum",
      asset: "ETH",
      below: units(100),
      restoredFrom: units(150),
    });
    expect(await findings()).toEqual([]);
  });

  it("are crossed by what is confirmed, and not by what is pending", async () => {
    await move(100);
    await set(threshold(100));
    await chain.commit([{ ...to, effectAtomic: -1n }]);
    expect(await states()).toEqual([]);
    await confirmAll();
    expect(await states()).toEqual(["below"]);
    await chain.commit([{ ...to, effectAtomic: 1n }]);
    await chain.undo(1);
    await confirmAll();
    expect(await states()).toEqual(["below"]);
  });

  it("are judged by what a block leaves, and not by its steps", async () => {
    await move(100);
    await set(threshold(100));
    await chain.commit([
      { ...to, effectAtomic: -50n },
      { ...to, effectAtomic: 50n },
    ]);
    await confirmAll();
    expect(await states()).toEqual([]);
  });

  it("are crossed by a reorg as by anything else, and by none that brings the same", async () => {
    await set(threshold(5));
    expect(await states()).toEqual(["below"]);
    await move(10);
    expect(await states()).toEqual(["below", "restored"]);
    await chain.undo(3);
    // Nothing is taken back before the new branch has the height of the old one.
    expect(await states()).toEqual(["below", "restored"]);
    await confirmAll();
    await chain.commit([]);
    expect(await states()).toEqual(["below", "restored", "below"]);
    await move(10);
    const before = await told();
    await chain.undo(3);
    await chain.commit([{ ...to, effectAtomic: 10n }]);
    await chain.commit([]);
    await chain.commit([]);
    await confirmAll();
    expect(await told()).toEqual(before);
    expect(before.at(-1)?.status).toBe("restored");
    expect(await findings()).toEqual([]);
  });

  it("of one balance are told from the highest down", async () => {
    await move(100);
    await set(threshold(10), threshold(90), threshold(50));
    await move(-100);
    expect((await told()).map(({ below }) => unitsOf(below))).toEqual([90, 50, 10]);
  });

  it("are judged once the balance is known, and again where it was unknown meanwhile", async () => {
    await ledger.db.$executeRaw`UPDATE balance SET opening = NULL`;
    await set(threshold(5));
    await move(10, -9);
    expect(await states()).toEqual([]);
    expect(await now()).toMatchObject([{ isBelow: null }]);
    await markSynced(ledger.db, [to.walletId]);
    await move(0);
    expect(await states()).toEqual([]);
    await move(1);
    expect(await told()).toMatchObject([{ status: "below", balance: units(2) }]);
  });

  it("end with the wallet", async () => {
    await move(10);
    await set(threshold(5));
    await chain.commit([{ ...to, effectAtomic: -9n }]);
    await archiveWallet(ledger.db, to.walletId);
    await confirmAll();
    expect(await told()).toEqual([]);
    await expect(set(threshold(5))).rejects.toMatchObject({ code: "wallet_not_found" });
  });

  it("of an asset that was left out are judged when it comes back", async () => {
    await move(10);
    await set(threshold(5));
    const [, token] = testChain.assets;
    await configureChains(ledger.db, [{ ...testChain, assets: [token] }], "recorded");
    await move(-9);
    expect(await told()).toEqual([]);
    await configureChains(ledger.db, [testChain], "recorded");
    expect(await states()).toEqual(["below"]);
  });

  it("alternate on every walk, and end where the balance says", async () => {
    const effects = fc.array(fc.integer({ min: -12, max: 12 }), { minLength: 5, maxLength: 12 });
    const limits = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.nat(10));
    await fc.assert(
      fc.asyncProperty(limits, effects, async ([below, band], walk) => {
        await ledger.db.threshold.deleteMany();
        await ledger.db.delivery.deleteMany();
        await ledger.db.notification.deleteMany();
        const start = await held();
        await set(threshold(below, below + band));
        let [balance, isBelow] = [start, start < below];
        const expected = isBelow ? ["below"] : [];
        for (const effect of walk) {
          // A wallet pays no more than it has.
          const paid = Math.max(effect, -balance);
          await move(paid);
          balance += paid;
          const isNow = isBelow ? balance < below + band : balance < below;
          if (isNow !== isBelow) expected.push(isNow ? "below" : "restored");
          isBelow = isNow;
        }
        expect(await states()).toEqual(expected);
        expect(await now()).toMatchObject([{ isBelow }]);
        expect(new Set((await told()).map(({ id }) => id)).size).toBe(expected.length);
      }),
      { numRuns: 10 },
    );
  });

  async function held(): Promise<number> {
    const asset = { code: "ETH" };
    const row = await ledger.db.balance.findFirstOrThrow({
      where: { walletId: to.walletId, asset },
    });
    return Number(row.confirmed.toFixed());
  }
});

describe("setting thresholds", () => {
  it("notifies once of a balance that is below already, and not again for the same list", async () => {
    const list = [threshold(5), threshold(9)];
    await set(...list);
    const [, below] = await told();
    expect(await states()).toEqual(["below", "below"]);
    const before = await now();
    await set(...list);
    await set(...[...list].reverse());
    expect(await states()).toEqual(["below", "below"]);
    expect(await now()).toEqual(before);
    expect(below?.crossing).toBe(1);
  });

  it("replaces the list: what is left out has ended, and counts on where it comes back", async () => {
    await set(threshold(5));
    await set(threshold(9));
    expect(await now()).toMatchObject([{ belowAtomic: 9n }]);
    await move(20);
    expect((await told()).map(({ below }) => unitsOf(below))).toEqual([5, 9, 9]);
    await set(threshold(5), threshold(9));
    await move(-19);
    const all = await told();
    expect(all.map(({ below, crossing }) => [unitsOf(below), crossing])).toEqual([
      [5, 1],
      [9, 1],
      [9, 2],
      [9, 3],
      [5, 2],
    ]);
    expect(new Set(all.map(({ id }) => id)).size).toBe(5);
    await set();
    expect(await now()).toEqual([]);
    expect(await ledger.db.threshold.count()).toBe(2);
    await set(threshold(1));
    await set();
    expect(await ledger.db.threshold.count()).toBe(2);
  });

  it("judges anew by another band, and keeps what it has judged", async () => {
    await set(threshold(5, 20));
    await move(10);
    expect(await states()).toEqual(["below"]);
    await set(threshold(5, 10));
    expect(await states()).toEqual(["below", "restored"]);
    await set(threshold(5, 40));
    expect(await states()).toEqual(["below", "restored"]);
    expect(await now()).toMatchObject([{ restoredFromAtomic: 40n, isBelow: false }]);
  });

  test.each([
    ["thresholds[0].asset", { assetCode: "DAI" }],
    ["thresholds[0].below", { below: "0" }],
    ["thresholds[0].below", { below: "0.0000000000000000001" }],
    ["thresholds[0].below", { below: "-1" }],
    ["thresholds[0].below", { below: "1e3" }],
    ["thresholds[0].restored_from", { below: "2", restoredFrom: "1.9" }],
    ["thresholds[0].restored_from", { restoredFrom: "many" }],
  ])("refuses %s of %o", async (field, change) => {
    const refused = set({ ...threshold(5), ...change });
    await expect(refused).rejects.toMatchObject({
      code: "invalid_request",
      facts: { details: [{ field }] },
    });
  });

  it("refuses the same one twice, more than eight, and another's wallet", async () => {
    const twice = set(threshold(5), { ...threshold(5), below: "0.00000000000000000500" });
    await expect(twice).rejects.toThrow("below must be a decimal of at most 18 decimals");
    await expect(set(threshold(5), threshold(5, 7))).rejects.toThrow(
      "must stand in one threshold of its asset",
    );
    const many = Array.from({ length: 9 }, (_, index) => threshold(index + 1));
    await expect(set(...many)).rejects.toThrow("thresholds must have at most 8 entries");
    await set(...many.slice(1));
    const another = await insertBusiness(ledger.db);
    const { walletId } = to;
    await expect(
      setThresholds(ledger.db, { businessId: another, walletId, thresholds: [] }),
    ).rejects.toMatchObject({ code: "wallet_not_found" });
  });
});

describe("a notification without a transaction", () => {
  const register = (order = {}) =>
    registerWebhook(ledger.db, {
      businessId: to.businessId,
      url: "https://first.example/",
      secretCiphertext: "sealed",
      ...order,
    });

  it("has no place in the feed, nor in what was written before", async () => {
    await register();
    await move(1);
    await set(threshold(9));
    await move(1);
    const page = await readFeed(ledger.db, {
      businessId: to.businessId,
      after: null,
      filter: null,
      limit: 10,
    });
    const bodies = page.kind === "page" ? page.entries.map(({ body }) => JSON.parse(body)) : [];
    expect(bodies.map(({ event, sequence }) => [event, sequence])).toEqual([
      ["transaction.deposit", 1],
      ["transaction.deposit", 2],
    ]);
    const rows = await ledger.db.delivery.findMany({
      orderBy: [{ seq: "asc" }, { isAdditional: "asc" }],
    });
    const [first, , third] = rows;
    expect(rows.map(({ previousId }) => previousId)).toEqual([null, null, first?.notificationId]);
    expect(third?.notificationId).toBe(bodies[1]?.id);
  });

  it("is filtered by event, wallet and asset, and no least amount leaves it out", async () => {
    const add = async (name: string, filter: object) => {
      const registered = await addWebhook(ledger.db, {
        businessId: to.businessId,
        url: `https://${name}.example/`,
        secretCiphertext: "sealed",
        most: 16,
        filter,
      });
      return registered.webhook.id;
    };
    const wanted = [
      await add("event", { events: ["wallet.balance_below"] }),
      await add("wallet", { walletIds: [to.walletId] }),
      await add("asset", { assets: ["ETH"], minAmount: { ETH: "100" }, minUsd: "100" }),
      await add("reference", { references: ["hot-"] }),
    ];
    await add("restored", { events: ["wallet.balance_restored"] });
    await add("deposits", { events: ["transaction.deposit"] });
    await add("token", { assets: ["USDC"] });
    await set(threshold(9));
    const rows = await ledger.db.delivery.findMany({ where: { isAdditional: true } });
    expect(rows.map(({ webhookId }) => webhookId).sort()).toEqual([...wanted].sort());
  });

  it("stands in its wallet's line, also where order is asked for later and where it is recovered", async () => {
    const { webhook } = await register();
    await set(threshold(9));
    const name = { businessId: to.businessId, webhookId: webhook.id };
    const inLine = async () => {
      const rows = await ledger.db.delivery.findMany({ where: { status: "waiting" } });
      return rows.map(({ walletId }) => walletId);
    };
    expect(await inLine()).toEqual([null]);
    await changeWebhook(ledger.db, name, { isOrdered: true });
    expect(await inLine()).toEqual([to.walletId]);
    await move(20);
    expect(await inLine()).toEqual([to.walletId, to.walletId, to.walletId]);
    expect(await findings()).toEqual([]);
    await ledger.db.$executeRaw`
      UPDATE delivery SET status = 'exhausted', wallet_id = NULL, is_behind = false`;
    const recovered = await recoverDeliveries(ledger.db, name, { since: new Date(0), until: null });
    expect(recovered).toEqual({ queued: 3 });
    expect(await inLine()).toEqual([to.walletId, to.walletId, to.walletId]);
    expect(await findings()).toEqual([]);
  });

  it("is sent again, held without a webhook, and forgotten with the others", async () => {
    await set(threshold(9));
    const [{ id: notificationId = "" } = {}] = await told();
    const { webhook } = await register();
    const { businessId } = to;
    await redeliver(ledger.db, { businessId, notificationId });
    await deleteWebhook(ledger.db, { businessId, webhookId: webhook.id });
    await ledger.db.$executeRaw`UPDATE delivery SET status = 'delivered'`;
    await ledger.db.$executeRaw(
      Prisma.sql`UPDATE notification SET created_at = now() - interval '2 days'`,
    );
    const pruned = await pruneNotifications(ledger.db, { olderThanMs: 86_400_000, limit: 10 });
    expect(pruned).toBe(1);
    expect(await told()).toEqual([]);
  });
});
