import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { keysOf } from "../../../../src/domain/keys-of.ts";
import type { WebhookFilter } from "../../../../src/domain/webhook/filter.ts";
import { Prisma } from "../../../../src/ledger/generated/client.ts";
import { countNotifications } from "../../../../src/ledger/notifications/count-notifications.ts";
import { notify } from "../../../../src/ledger/notifications/notify.ts";
import { readNotifications } from "../../../../src/ledger/notifications/read-notifications.ts";
import { inTransaction } from "../../../../src/ledger/postgres/transaction.ts";
import { readTransactionsThat } from "../../../../src/ledger/transactions/move-transactions.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import {
  insertBusiness,
  insertTransaction,
  newWallet,
} from "../../../support/ledger/ledger-fixtures.ts";
import {
  addWallets,
  addWebhook,
  changeWebhook,
  recoverDeliveries,
  redeliver,
  registerWebhook,
  setBusiness,
} from "../../../support/ledger/steps.ts";
import { writtenChain } from "../../../support/ledger/written-chain.ts";

const ledger = eachTestLedger();
let businessId: string;
let wallets: { id: string; address: string }[];

beforeEach(async () => {
  businessId = await insertBusiness(ledger.db);
  const [shop, bar] = [newWallet({ reference: "shop-1" }), newWallet({ reference: "bar-1" })];
  wallets = await addWallets(ledger.db, { businessId, wallets: [shop, bar] });
});

const shopOnly: WebhookFilter = { references: ["shop-"] };
const registration = (url: string, filter?: WebhookFilter) => ({
  businessId,
  url,
  secretCiphertext: `sealed for ${url}`,
  ...(filter === undefined ? {} : { filter }),
});
const first = async (filter?: WebhookFilter) =>
  (await registerWebhook(ledger.db, registration("https://first.example/", filter))).webhook.id;
async function add(name: string, filter?: WebhookFilter): Promise<string> {
  const asked = { ...registration(`https://${name}.example/`, filter), most: 16 };
  return (await addWebhook(ledger.db, asked)).webhook.id;
}
const change = (webhookId: string, filter: WebhookFilter | null) =>
  changeWebhook(ledger.db, { businessId, webhookId }, { filter });

type State = "pending" | "confirmed" | "reversed" | "dropped";

/** Notifies that a transaction has entered a state. Of one that is left out, `notified` is 0. */
async function enter(state: State, transactionId: string, notified = 1): Promise<void> {
  await inTransaction(ledger.db, async (tx) => {
    const rows = await readTransactionsThat(tx, Prisma.sql`id = ${transactionId}::uuid`);
    const entered = { [state]: rows } as Record<State, typeof rows>;
    expect(await notify(tx, entered)).toEqual({ notified });
  });
}

async function confirm(wallet: number, fields: object = {}): Promise<string> {
  const walletId = wallets[wallet]?.id ?? "";
  const id = await insertTransaction(ledger.db, { walletId, status: "completed", ...fields });
  await enter("confirmed", id);
  return id;
}

/** The webhooks that each notification is sent to, oldest first. */
async function sent(): Promise<(string | null)[][]> {
  const rows = await ledger.db.notification.findMany({
    orderBy: [{ sequence: "asc" }],
    select: {
      deliveries: {
        orderBy: [{ seq: "asc" }, { isAdditional: "asc" }, { webhookId: "asc" }],
        select: { webhookId: true },
      },
    },
  });
  return rows.map(({ deliveries }) => deliveries.map(({ webhookId }) => webhookId));
}

const statuses = async () => {
  const page = { limit: 50, afterId: null };
  const { rows } = await readNotifications(ledger.db, { businessId, filter: {}, page });
  return rows.map(({ status }) => status);
};

const priceOf = (usd: string, isFresh: boolean) => ledger.db.$executeRaw`
  INSERT INTO price (asset_id, usd, source, as_of, fresh_until)
  SELECT id, ${usd}::numeric, 'http', now(), now() + ${isFresh ? 1 : -1} * interval '1 hour'
  FROM asset WHERE code = 'ETH'
  ON CONFLICT (asset_id) DO UPDATE SET usd = EXCLUDED.usd, fresh_until = EXCLUDED.fresh_until`;

describe("a webhook with a filter", () => {
  it("gets what it wants, from the commit after its change on", async () => {
    const [one, two] = [await first(), await add("b", shopOnly)];
    await confirm(0);
    await confirm(1);
    await change(two, { references: ["bar-"] });
    await confirm(0);
    await confirm(1);
    await change(two, null);
    await confirm(0);
    expect(await sent()).toEqual([[one, two], [one], [one], [one, two], [one, two]]);
  });

  it("gets what undoes a notification that it was given, and of others what it wants", async () => {
    const [one, two] = [await first(), await add("b", shopOnly)];
    const three = await add("c", { events: ["transaction.reversed"], references: ["bar-"] });
    const given = await confirm(0);
    const other = await confirm(1);
    await change(two, { references: ["bar-9"] });
    await enter("reversed", given);
    await enter("reversed", other);
    expect(await sent()).toEqual([[one, two], [one], [one, two], [one, three]]);
  });

  it("gets a reversal where nobody knows any more who was given what it undoes", async () => {
    const [one, two] = [await first(shopOnly), await add("b", shopOnly)];
    const old = await confirm(1);
    expect(await sent()).toEqual([[]]);
    await ledger.db.notification.deleteMany();
    await enter("reversed", old);
    expect(await sent()).toEqual([[one, two]]);
  });

  it("gets a drop where nobody knows any more who was given what was pending", async () => {
    await ledger.db.business.update({ where: { id: businessId }, data: { notifyPending: true } });
    const [one, two] = [await first(shopOnly), await add("b", shopOnly)];
    const walletId = wallets[1]?.id ?? "";
    const pending = () => insertTransaction(ledger.db, { walletId, status: "pending" });
    const [old, known] = [await pending(), await pending()];
    await enter("pending", old);
    await ledger.db.notification.deleteMany();
    await enter("pending", known);
    await enter("dropped", old);
    await enter("dropped", known);
    expect(await sent()).toEqual([[], [one, two], []]);
  });

  it("gets a drop of what it was given, where the business asks for neither any more", async () => {
    const asks = (notifyPending: boolean) =>
      ledger.db.business.update({ where: { id: businessId }, data: { notifyPending } });
    await asks(true);
    await first(shopOnly);
    const two = await add("b");
    const walletId = wallets[1]?.id ?? "";
    const id = await insertTransaction(ledger.db, { walletId, status: "pending" });
    await enter("pending", id);
    await asks(false);
    await enter("dropped", id);
    const unasked = await insertTransaction(ledger.db, { walletId, status: "pending" });
    await enter("dropped", unasked, 0);
    expect(await sent()).toEqual([[two], [two]]);
  });

  it("judges an amount by the asset, and a worth by the price of the moment", async () => {
    const one = await first({ minAmount: { ETH: "2" } });
    const two = await add("b", { minUsd: "3000" });
    await priceOf("2000", true);
    const amountOf = (ether: string) => ({ amountAtomic: BigInt(ether) * 10n ** 17n });
    await confirm(0, amountOf("10"));
    await confirm(0, amountOf("15"));
    await confirm(0, amountOf("20"));
    await priceOf("2000", false);
    await confirm(0, amountOf("1"));
    expect(await sent()).toEqual([[], [two], [one, two], [two]]);
  });

  it("that is the first one leaves a notification out, which its status says", async () => {
    const one = await first(shopOnly);
    const two = await add("b");
    await confirm(1);
    expect([await sent(), await statuses()]).toEqual([[[two]], ["filtered"]]);
    const range = { from: new Date(0), starts: [new Date(0)], to: new Date(Date.now() + 60_000) };
    const totalAt = async (webhookId: string | null) =>
      (await countNotifications(ledger.db, { businessId, webhookId, range })).total;
    expect(await totalAt(null)).toMatchObject({ filtered: 0, delivered: 0, waiting: 1 });
    const listed = async (status: "filtered" | "delivered" | "waiting") => {
      const page = { limit: 50, afterId: null };
      const { rows } = await readNotifications(ledger.db, { businessId, filter: { status }, page });
      return rows.length;
    };
    expect([await listed("filtered"), await listed("delivered")]).toEqual([1, 0]);
    const asked = { since: new Date(0), until: null };
    const recover = recoverDeliveries(ledger.db, { businessId, webhookId: one }, asked);
    expect(await recover).toEqual({ queued: 0 });
    const { id: notificationId } = await ledger.db.notification.findFirstOrThrow();
    await redeliver(ledger.db, { businessId, notificationId });
    expect([await listed("filtered"), await listed("waiting")]).toEqual([0, 1]);
    expect(await totalAt(one)).toMatchObject({ filtered: 0, waiting: 1 });
  });

  it("has of a recovery with a least worth what was worth so much at confirmation, or had no price", async () => {
    const one = await first();
    const worths = new Map<string | null, string>();
    for (const usdValue of ["99.99", "100", null])
      worths.set(await confirm(0, { usdValue }), usdValue ?? "none");
    await ledger.db.delivery.updateMany({ data: { status: "exhausted" } });
    const asked = { since: new Date(0), until: null, filter: { minUsd: "100" } };
    const recover = () => recoverDeliveries(ledger.db, { businessId, webhookId: one }, asked);
    expect(await recover()).toEqual({ queued: 2 });
    const queued = await ledger.db.delivery.findMany({
      where: { status: "waiting" },
      select: { notification: { select: { transactionId: true } } },
    });
    const named = queued.map(({ notification }) => worths.get(notification.transactionId));
    expect(named.sort()).toEqual(["100", "none"]);
    expect(await recover()).toEqual({ queued: 0 });
  });

  it("knows what came before: of its chain, on the same way, and the same in a redelivery", async () => {
    await first();
    const two = await add("b", shopOnly);
    for (const wallet of [0, 1, 0]) await confirm(wallet);
    await registerWebhook(ledger.db, registration("https://next.example/"));
    await confirm(0);
    const notified = await ledger.db.notification.findMany({ orderBy: { sequence: "asc" } });
    const [a, b, c, d] = notified.map(({ id }) => id);
    const before = async (where: object) => {
      const rows = await ledger.db.delivery.findMany({
        where,
        orderBy: [{ seq: "asc" }, { isAdditional: "asc" }, { webhookId: "asc" }],
      });
      return rows.map(({ previousId }) => previousId);
    };
    expect(await before({ isAdditional: false })).toEqual([null, a, b, c]);
    expect(await before({ webhookId: two })).toEqual([null, a, c]);
    await ledger.db.delivery.updateMany({ data: { status: "delivered" } });
    const notificationId = d ?? "";
    await redeliver(ledger.db, { businessId, notificationId });
    await redeliver(ledger.db, { businessId, notificationId, webhookId: two });
    expect(await before({ notificationId })).toEqual([c, c, c, c]);
  });

  it("keeps it where its URL is registered again, and another in its place begins without", async () => {
    await first(shopOnly);
    const again = await registerWebhook(ledger.db, registration("https://first.example/"));
    expect(again).toMatchObject({ outcome: "unchanged", webhook: { filter: shopOnly } });
    const barOnly = { references: ["bar-"] };
    const changed = await registerWebhook(
      ledger.db,
      registration("https://first.example/", barOnly),
    );
    expect(changed.webhook.filter).toEqual(barOnly);
    const next = await registerWebhook(ledger.db, registration("https://next.example/"));
    expect(next).toMatchObject({ outcome: "created", webhook: { filter: null } });
  });

  it.each([
    [{ blockchains: ["polygon"] }, "filter.blockchains"],
    [{ assets: ["DOGE"] }, "filter.assets"],
    [{ walletIds: ["01900000-0000-7000-8000-000000000000"] }, "filter.wallet_ids"],
    [{ minAmount: { DOGE: "1" } }, "filter.min_amount"],
    [{ events: ["transaction.pending"] }, "filter.events"],
  ])("%j can match nothing and is refused", async (filter, field) => {
    const facts = { details: [expect.objectContaining({ field })] };
    await expect(first(filter)).rejects.toMatchObject({ code: "invalid_request", facts });
    const id = await first();
    await expect(change(id, filter)).rejects.toMatchObject({ code: "invalid_request", facts });
  });
});

type Body = {
  event: string;
  data: { transactionId: string; blockchain: string; reference: string; walletId: string };
};

/** Filters, and what a body says of them by itself. */
const kinds = {
  everything: { filter: () => null, wants: () => true },
  shops: { filter: () => shopOnly, wants: ({ data }: Body) => data.reference.startsWith("shop-") },
  reversals: {
    filter: () => ({ events: ["transaction.reversed", "transaction.dropped"] }),
    wants: ({ event }: Body) => ["transaction.reversed", "transaction.dropped"].includes(event),
  },
  deposits: {
    filter: () => ({ events: ["transaction.deposit"] }),
    wants: ({ event }: Body) => event === "transaction.deposit",
  },
  oneWallet: {
    filter: () => ({ walletIds: [wallets[1]?.id ?? ""], blockchains: ["ethereum"] }),
    wants: ({ data }: Body) => data.walletId === wallets[1]?.id,
  },
  large: { filter: () => ({ minAmount: { ETH: "1" } }), wants: () => false },
} satisfies Record<string, { filter: () => WebhookFilter | null; wants: (body: Body) => boolean }>;

const undoneEvents: Readonly<Record<string, string>> = {
  "transaction.reversed": "transaction.deposit",
  "transaction.dropped": "transaction.pending",
};

const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ deposits: fc.array(fc.nat(1), { maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ undo: fc.integer({ min: 1, max: 5 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ webhook: fc.nat(15), kind: fc.constantFrom(...keysOf(kinds)) }),
  },
);

it("16 webhooks are each sent what their filters say and what undoes it, and what came before, however filters change and blocks are undone", async () => {
  await setBusiness(ledger.db, businessId, { notifyPending: true });
  const ids = [await first()];
  for (let index = 1; index < 16; index += 1) ids.push(await add(`w${index}`));
  const filters = new Map<string, keyof typeof kinds>(ids.map((id) => [id, "everything"]));
  const chain = await writtenChain(ledger.db, "ethereum");
  let seen = 0n;
  const given = new Map<string, Set<string>>();
  const newest = new Map<string | null, string>();

  async function checkWritten(): Promise<void> {
    const rows = await ledger.db.notification.findMany({
      where: { sequence: { gt: seen } },
      orderBy: { sequence: "asc" },
      select: {
        id: true,
        sequence: true,
        body: true,
        deliveries: { select: { webhookId: true, previousId: true } },
      },
    });
    for (const { id: notificationId, sequence, body, deliveries } of rows) {
      seen = sequence ?? seen;
      const said: Body = JSON.parse(body);
      const { transactionId } = said.data;
      const before = given.get(`${transactionId} ${undoneEvents[said.event]}`);
      const expected = ids.filter(
        (id) => before?.has(id) || kinds[filters.get(id) ?? "everything"].wants(said),
      );
      expect(deliveries.map(({ webhookId }) => webhookId).sort()).toEqual([...expected].sort());
      for (const { webhookId, previousId } of deliveries) {
        expect(previousId).toBe(newest.get(webhookId) ?? null);
        newest.set(webhookId, notificationId);
      }
      given.set(`${transactionId} ${said.event}`, new Set(expected));
    }
  }

  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 10, maxLength: 25 }), async (acts) => {
      for (const one of acts) {
        if ("undo" in one) await chain.undo(one.undo);
        else if ("deposits" in one)
          await chain.commit(
            one.deposits.map((of) => ({
              businessId,
              walletId: wallets[of]?.id ?? "",
              address: wallets[of]?.address ?? "",
            })),
          );
        else {
          const id = ids[one.webhook] ?? "";
          await change(id, kinds[one.kind].filter());
          filters.set(id, one.kind);
        }
        await checkWritten();
      }
    }),
    { numRuns: 8 },
  );
  expect(seen).toBeGreaterThan(0n);
});
