import { beforeAll, expect, test } from "vitest";
import { idAt } from "../../../src/domain/id.ts";
import { allPages } from "../../support/api/all-pages.ts";
import { insertStranger, openTestApi } from "../../support/api/test-api.ts";
import { allTests } from "../../support/each-test.ts";
import { bulkChains } from "../../support/ledger/bulk-ledger.ts";
import { insertTransaction, newWallet } from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, configureChains, registerWebhook } from "../../support/ledger/steps.ts";

const api = allTests(
  () => openTestApi(),
  (one) => one.stop(),
);

type Row = { id: string; event: string; created_at: string };
type Listed = { data: Row[]; next_cursor: string | null };

type State = "pending" | "confirmed" | "reversed";

/** In atomic units, with the states that were notified. On base USDC has two decimals here. */
const deposits: [chain: string, atomic: bigint, states: State[]][] = [
  ["ethereum", 25_000_000n, ["pending", "confirmed"]],
  ["base", 2_500n, ["confirmed", "reversed"]],
  ["ethereum", 1_000_500_000n, ["pending", "confirmed", "reversed"]],
  ["ethereum", 99_000_000n, []],
  ["base", 2_501n, ["confirmed"]],
  ["base", 1n, ["confirmed"]],
  ["ethereum", 25_005_000n, ["confirmed"]],
];
/** By the place of the deposit, and the state. */
const byAmount = [
  ...["2 reversed", "2 confirmed", "2 pending", "4 confirmed", "6 confirmed"],
  ...["1 reversed", "1 confirmed", "0 confirmed", "0 pending", "5 confirmed"],
];
/** What a notification is called here, by its id. */
const names = new Map<string, string>();
let transactionIds: string[];
let walletIds: Record<string, string>;
let stranger: string;
const minuteOf = (place: number) => new Date(Date.UTC(2026, 1, 1, 0, place));

const ask = async (query: string, key?: string) =>
  (await api.get(`/notifications?asset=USDC&sort=amount&${query}`, key)).json();

const namesIn = (rows: readonly Row[]) => rows.map(({ id }) => names.get(id));

const pages = (query: string, limit: number, of: (query: string) => Promise<Listed> = ask) =>
  allPages<Row>(of, { query, limit, most: names.size });

/** The last transactions were notified first: the order of time is another one. */
beforeAll(async () => {
  const { db, businessId } = api;
  await configureChains(db, [...bulkChains], "removed");
  await db.asset.updateMany({ where: { chainName: "base", code: "USDC" }, data: { decimals: 2 } });
  const chains = ["ethereum", "base"];
  const wallets = chains.map((chainName) => newWallet({ chainName, label: `Shop ${chainName}` }));
  const added = await addWallets(db, { businessId, wallets });
  walletIds = Object.fromEntries(added.map(({ chainName, id }) => [chainName, id]));
  const registration = { businessId, url: "https://a.example/", secretCiphertext: "x" };
  const { webhook } = await registerWebhook(db, registration);
  transactionIds = [];
  for (const [place, [chain, amountAtomic, states]] of deposits.entries()) {
    const walletId = walletIds[chain] ?? "";
    const of = { walletId, amountAtomic, blockTime: minuteOf(place), assetCode: "USDC" };
    const transactionId = await insertTransaction(db, of);
    transactionIds.push(transactionId);
    for (const [step, state] of states.entries()) {
      const id = idAt(minuteOf(place).getTime());
      names.set(id, `${place} ${state}`);
      const event = state === "confirmed" ? "transaction.deposit" : `transaction.${state}`;
      const createdAt = minuteOf(100 - 10 * place + step);
      const made = { id, businessId, transactionId, state, event, body: "{}", createdAt };
      await db.notification.create({ data: made });
      const status = state === "reversed" ? "exhausted" : "delivered";
      const delivery = { id: idAt(Date.now()), notificationId: id, businessId, status };
      await db.delivery.create({ data: { ...delivery, webhookId: webhook.id } });
    }
  }
  // About the asset, and about no transaction.
  const body = JSON.stringify({ data: { asset: "USDC", amount: "5000" } });
  const below = { state: "below", event: "wallet.balance_below", body, businessId };
  await db.notification.create({
    data: { ...below, id: idAt(Date.now()), walletId: walletIds["base"] ?? null },
  });
  stranger = (await insertStranger(api)).key;
});

test.each([1, 2, 3, 10, 50])(
  "pages of %i rows have the largest first, each once",
  async (limit) => {
    expect(namesIn(await pages("", limit))).toEqual(byAmount);
  },
);

test.each(["fee", "usd_value,label"])("so they have with %s of each row", async (include) => {
  expect(namesIn(await pages(`include=${include}`, 3))).toEqual(byAmount);
});

const isOfBase = (name: string) => /^[145]/.test(name);
const isReversed = (name: string) => name.endsWith("reversed");

test.each<[string, (name: string) => boolean]>([
  ["blockchain=base", isOfBase],
  ["q=shop%20base", isOfBase],
  ["status=delivered", (name) => !isReversed(name)],
  ["status=exhausted", isReversed],
  ["status=undelivered&webhook_id=any", isReversed],
  ["status=exhausted&blockchain=base", (name) => name === "1 reversed"],
  ["status=exhausted&q=shop%20base", (name) => name === "1 reversed"],
  ["status=waiting", () => false],
  ["event=transaction.deposit", (name) => name.endsWith("confirmed")],
  ["event=transaction.reversed", isReversed],
  ["event=transaction.reversed&status=delivered", () => false],
  ["event=wallet.balance_below", () => false],
  ["from=2026-02-01T01:00:00Z", (name) => /^[0124]/.test(name)],
  ["to=2026-02-01T01:00:00Z", (name) => /^[56]/.test(name)],
  [
    "from=2026-02-01T01:00:00Z&event=transaction.deposit&status=delivered&q=shop",
    (name) => /^[0124] confirmed/.test(name),
  ],
])("with %s, the rows that match have the same order", async (query, isWanted) => {
  for (const limit of [1, 2, 50])
    expect(namesIn(await pages(query, limit))).toEqual(byAmount.filter(isWanted));
});

test("of one transaction the newest is first, and of one webhook its own", async () => {
  const { id } = await api.db.webhook.findFirstOrThrow({});
  expect(namesIn(await pages(`transaction_id=${transactionIds[2]}`, 2))).toEqual(
    byAmount.slice(0, 3),
  );
  expect(namesIn(await pages(`webhook_id=${id}`, 4))).toEqual(byAmount);
  expect(await pages(`webhook_id=${transactionIds[2]}`, 4)).toEqual([]);
});

test("an export and the operator's list of the business have the same order", async () => {
  const url = "/notifications?asset=usdc&sort=amount";
  const headers = { "x-api-key": api.key, accept: "application/x-ndjson" };
  const { body } = await api.web.inject({ method: "GET", url, headers });
  const lines = body.trim().split("\n");
  expect(namesIn(lines.map((line): Row => JSON.parse(line)))).toEqual(byAmount);
  const asOperator = async (query: string) => {
    const path = `${url}&business_id=${api.businessId}&${query}`;
    return (await api.admin("GET", path)).json();
  };
  expect(namesIn(await pages("", 3, asOperator))).toEqual(byAmount);
});

test("a business sees none of another, also with its cursor", async () => {
  const { next_cursor: cursor } = await ask("limit=2");
  expect((await ask("", stranger)).data).toEqual([]);
  expect((await ask(`cursor=${cursor}`, stranger)).data).toEqual([]);
});

test("a page follows a notification that is gone", async () => {
  const first: Listed = await ask("limit=2");
  const notificationId = first.data.at(-1)?.id ?? "";
  const kept = await api.db.notification.findUniqueOrThrow({ where: { id: notificationId } });
  const deliveries = await api.db.delivery.findMany({ where: { notificationId } });
  await api.db.delivery.deleteMany({ where: { notificationId } });
  await api.db.notification.delete({ where: { id: notificationId } });
  const next: Listed = await ask(`cursor=${first.next_cursor}`);
  await api.db.notification.create({ data: kept });
  await api.db.delivery.createMany({ data: deliveries });
  expect(namesIn(next.data)).toEqual(byAmount.slice(2));
});

test.each([1n, 10n ** 30n])(
  "a page begins where the one before ended, also if the amount is another one since: %i",
  async (amount) => {
    const first: Listed = await ask("limit=4");
    const id = transactionIds[4] ?? "";
    const { amount: before } = await api.db.transaction.findUniqueOrThrow({ where: { id } });
    const setAmount = (to: string) =>
      api.db.transaction.update({ where: { id }, data: { amount: to } });
    await setAmount(amount.toString());
    const next: Listed = await ask(`cursor=${first.next_cursor}`);
    await setAmount(before.toString());
    expect(namesIn(next.data)).toEqual(byAmount.slice(4));
  },
);

test.each([
  ["sort=amount", "sort: amount needs an asset"],
  ["sort=size&asset=USDC", "sort"],
  ["sort=amount&asset=DOGE", "asset"],
])("%s is refused as it is for transactions", async (query, words) => {
  for (const path of ["notifications", "transactions"]) {
    const answer = await api.get(`/${path}?${query}`);
    expect([path, answer.statusCode, answer.json().error.message]).toEqual([
      ...[path, 400],
      expect.stringContaining(words),
    ]);
  }
});

test("amounts of all businesses together, and cursors of other orders are refused", async () => {
  const refused = async (answer: { statusCode: number; json: () => { error: object } }) =>
    expect([answer.statusCode, answer.json().error]).toEqual([
      400,
      expect.objectContaining({ message: expect.stringMatching(/one business|cursor/) }),
    ]);
  await refused(await api.admin("GET", "/notifications?asset=USDC&sort=amount"));
  for (const path of ["/notifications?", "/transactions?asset=USDC&sort=amount&"]) {
    const { next_cursor: cursor } = (await api.get(`${path}limit=2`)).json();
    await refused(await api.get(`/notifications?asset=USDC&sort=amount&cursor=${cursor}`));
  }
});
