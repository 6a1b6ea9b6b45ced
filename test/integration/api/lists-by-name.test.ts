import { beforeAll, describe, expect, test } from "vitest";
import { idAt } from "../../../src/domain/id.ts";
import { mostCollected } from "../../../src/ledger/notifications/about-wallets.ts";
import { mostLookedAt, mostNamed } from "../../../src/ledger/transactions/named-wallets.ts";
import { insertStranger, openTestApi } from "../../support/api/test-api.ts";
import { allTests } from "../../support/each-test.ts";
import {
  insertBusiness,
  insertTransaction,
  newWallet,
  randomAddress,
} from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, archiveWallet } from "../../support/ledger/steps.ts";

const api = allTests(
  () => openTestApi(),
  (one) => one.stop(),
);

type Row = { id: string; wallet_id: string; type: string; status: string; date: string };
type Listed = { data: Row[]; next_cursor: string | null };
type Ask = (path: string) => Promise<{ statusCode: number; json: () => Listed }>;

const minute = (n: number) => new Date(Date.UTC(2026, 1, 1, 0, n));

/** The wallets of the business, each with the texts that it is found by. */
const names = [
  { reference: "Order-1001", label: "Shop Łódź" },
  { reference: "order-1002", label: null },
  { reference: null, label: "shop Basel" },
  { reference: "100%_off", label: null },
  { reference: null, label: null },
];
let walletIds: string[];
let addresses: string[];

/** Every id of a list, page after page. */
async function all(path: string, ask: Ask = (one) => api.get(one)): Promise<string[]> {
  const ids: string[] = [];
  for (let after = ""; ; ) {
    const answer = await ask(`${path}&limit=4${after}`);
    expect(answer.statusCode).toBe(200);
    const page = answer.json();
    ids.push(...page.data.map(({ id }) => id));
    if (page.next_cursor === null) return ids;
    after = `&cursor=${page.next_cursor}`;
  }
}

async function notifyOf(transactionId: string, at: Date): Promise<void> {
  const { businessId } = api;
  const event = "transaction.deposit";
  const data = { id: idAt(at.getTime()), businessId, transactionId, state: "confirmed", event };
  await api.db.notification.create({ data: { ...data, body: "{}", createdAt: at } });
}

const byOperator: Ask = (path) => api.admin("GET", path);

beforeAll(async () => {
  const wallets = names.map((name) => newWallet(name));
  addresses = wallets.map(({ address }) => address);
  walletIds = (await addWallets(api.db, { businessId: api.businessId, wallets })).map(
    ({ id }) => id,
  );
  const types = ["deposit", "withdrawal", "payment", "fee"] as const;
  for (let n = 0; n < 60; n += 1) {
    const id = await insertTransaction(api.db, {
      walletId: walletIds[(n * 7) % walletIds.length] ?? "",
      type: types[n % types.length] ?? "deposit",
      status: n % 5 === 0 ? "reversed" : "completed",
      blockTime: minute(n),
    });
    // Notified in another order than money moved.
    await notifyOf(id, minute((n * 37) % 60));
  }
  // Included again in another block than its id says.
  const moved = await insertTransaction(api.db, {
    walletId: walletIds[0] ?? "",
    blockTime: minute(5),
  });
  await api.db.transaction.update({ where: { id: moved }, data: { blockTime: minute(50) } });
  // About no transaction.
  await api.db.notification.create({
    data: {
      id: idAt(Date.now()),
      businessId: api.businessId,
      walletId: walletIds[0] ?? "",
      state: "below",
      event: "wallet.balance_below",
      body: "{}",
      createdAt: minute(30),
    },
  });
  const [stranger] = await addWallets(api.db, {
    businessId: (await insertStranger(api)).businessId,
    wallets: [newWallet({ reference: "order-1001" })],
  });
  await insertTransaction(api.db, { walletId: stranger?.id ?? "" });
});

const found: [what: string, q: () => string, places: readonly number[]][] = [
  ["a part of a reference, in any case", () => "ORDER-100", [0, 1]],
  ["a whole reference", () => "order-1002", [1]],
  ["a part of a label, in any case", () => "SHOP", [0, 2]],
  ["letters beyond ASCII", () => "łÓDŹ", [0]],
  ["characters of patterns", () => "0%_o", [3]],
  ["the beginning of an address", () => (addresses[4] ?? "").slice(0, 12).toUpperCase(), [4]],
  ["a shortened address", () => shorten(addresses[2] ?? ""), [2]],
  ["a text that no wallet has", () => "zebra", []],
];

const shorten = (address: string) => `${address.slice(0, 10)}…${address.slice(-6)}`;

/** Of the whole list, the ids of rows of those wallets. */
async function expected(path: string, places: readonly number[]): Promise<string[]> {
  const { data } = (await api.get(`${path}&limit=500`)).json() as Listed;
  const those = places.map((place) => walletIds[place]);
  return data.filter((row) => those.includes(row.wallet_id)).map(({ id }) => id);
}

describe("transactions of the wallets that a text names", () => {
  test.each(found)("are found by %s", async (_what, q, places) => {
    const sought = `q=${encodeURIComponent(q())}`;
    const those = await expected("/transactions?", places);
    expect(those.length > 0).toBe(places.length > 0);
    expect(await all(`/transactions?${sought}`)).toEqual(those);
    const admin = `/businesses/${api.businessId}/transactions?${sought}`;
    expect(await all(admin, byOperator)).toEqual(those);
  });

  test.each([
    "type=fee",
    "status=reversed",
    "type=deposit&status=completed",
    "asset=eth",
    "blockchain=ethereum",
    "from=2026-02-01T00:10:00Z&to=2026-02-01T00:52:00Z",
    "from=2026-02-01T00:50:00Z&to=2026-02-01T00:50:01Z",
    "include=label,fee",
  ])("are the same rows as of the whole list with %s", async (filter) => {
    const those = await expected(`/transactions?${filter}`, [0, 1]);
    expect(those).not.toEqual([]);
    expect(await all(`/transactions?q=order-100&${filter}`)).toEqual(those);
  });

  test("are none on another chain, or of a wallet that is named otherwise", async () => {
    expect(await all("/transactions?q=order-100&blockchain=base")).toEqual([]);
    expect(await all(`/transactions?q=order-100&wallet_id=${walletIds[2]}`)).toEqual([]);
    const those = await expected(`/transactions?wallet_id=${walletIds[1]}`, [1]);
    expect(await all(`/transactions?q=order-100&wallet_id=${walletIds[1]}`)).toEqual(those);
  });

  test("are exported whole, and stay when their wallet is removed", async () => {
    const [gone] = await addWallets(api.db, {
      businessId: api.businessId,
      wallets: [newWallet({ reference: "gone-1" })],
    });
    const walletId = gone?.id ?? "";
    const id = await insertTransaction(api.db, { walletId, blockTime: minute(-10) });
    await archiveWallet(api.db, walletId);
    expect(await all("/transactions?q=gone-")).toEqual([id]);
    const headers = { "x-api-key": api.key, accept: "application/x-ndjson" };
    const url = "/transactions?q=order-100";
    const { body } = await api.web.inject({ method: "GET", url, headers });
    const lines = body
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).id);
    expect(lines).toEqual(await all("/transactions?q=order-100"));
  });
});

/** The ids of notifications about some wallets, newest first by when they were written. */
async function notified(places: readonly number[]): Promise<string[]> {
  const rows = await api.db.notification.findMany({
    where: { businessId: api.businessId },
    include: { transaction: { select: { walletId: true } } },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  const those = places.map((place) => walletIds[place]);
  return rows
    .filter((row) => those.includes(row.transaction?.walletId ?? row.walletId ?? ""))
    .map(({ id }) => id);
}

describe("notifications about the wallets that a text names", () => {
  test.each(found)("are found by %s", async (_what, q, places) => {
    const sought = `q=${encodeURIComponent(q())}`;
    const those = await notified(places);
    expect(those.length > 0).toBe(places.length > 0);
    expect(await all(`/notifications?${sought}`)).toEqual(those);
    expect(await all(`/notifications?${sought}&include=label`)).toEqual(those);
    const admin = `/notifications?${sought}&business_id=${api.businessId}`;
    expect(await all(admin, byOperator)).toEqual(those);
  });

  test("are found with other filters, and of all businesses by an operator", async () => {
    const [thresholds] = (await api.get("/notifications?event=wallet.balance_below")).json().data;
    expect(await all("/notifications?q=order&event=wallet.balance_below")).toEqual([thresholds.id]);
    const from = "from=2026-02-01T00:20:00Z";
    const { data } = (await api.get(`/notifications?${from}&limit=500`)).json() as Listed;
    const those = await notified([0, 1]);
    const wanted = data.map(({ id }) => id).filter((id) => those.includes(id));
    expect(await all(`/notifications?q=order&${from}`)).toEqual(wanted);
    expect(await all("/notifications?q=order", byOperator)).toEqual(those);
  });
});

test("an operator's notifications have the labels of their wallets", async () => {
  const url = `/notifications?business_id=${api.businessId}&limit=500`;
  const { data }: { data: { id: string; label: string | null }[] } = (
    await api.admin("GET", url)
  ).json();
  const labelled = (label: string | null) =>
    data.filter((row) => row.label === label).map(({ id }) => id);
  expect(labelled("Shop Łódź")).toEqual(await notified([0]));
  expect(labelled("shop Basel")).toEqual(await notified([2]));
  expect(labelled(null)).toEqual(await notified([1, 3, 4]));
});

test("notifications of a wallet with many transactions are found among all others", async () => {
  const [busy] = await addWallets(api.db, {
    businessId: api.businessId,
    wallets: [newWallet({ reference: "busy" })],
  });
  const { id: assetId } = await api.db.asset.findFirstOrThrow({ where: { code: "ETH" } });
  await api.db.$executeRaw`
    INSERT INTO transaction (id, identity, chain_name, business_id, wallet_id, asset_id, type, direction, amount, status,
      tx_hash, from_address, to_address, block_number, block_hash, block_time, ordinal)
    SELECT ('01000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, decode(lpad(to_hex(n), 64, '0'), 'hex'), 'ethereum',
      ${api.businessId}::uuid, ${busy?.id}::uuid, ${assetId}, 'income', 'in', 1, 'completed', '0x' || lpad(to_hex(n), 64, '0'),
      ${randomAddress()}, ${randomAddress()}, n, '0x' || lpad(to_hex(n), 64, '0'), now(), 0
    FROM generate_series(1, ${mostCollected + 1}::int) n`;
  const first = "01000000-0000-7000-9000-000000000001";
  await notifyOf(first, minute(-1));
  const [written] = await api.db.notification.findMany({ where: { transactionId: first } });
  expect(await all("/notifications?q=busy")).toEqual([written?.id]);
});

describe("a text that names too much is refused, and not answered in part", () => {
  /** Wallets whose reference is `bulk-` and their number. */
  async function insertMany(businessId: string, count: number): Promise<void> {
    await api.db.$executeRaw`
      INSERT INTO wallet (id, business_id, chain_name, address, reference, purpose, added_change_id)
      SELECT gen_random_uuid(), ${businessId}::uuid, 'ethereum', '0x' || md5(${businessId} || n) || '01234567', 'bulk-' || n,
        'payment', (SELECT added_change_id FROM wallet LIMIT 1)
      FROM generate_series(1, ${count}::int) n`;
  }

  const refusalOf = async (path: string) => {
    const answer = await api.admin("GET", path);
    return [answer.statusCode, answer.json().error?.message ?? ""];
  };

  test("of many wallets, until there is more of the text", async () => {
    const businessId = await insertBusiness(api.db, "Many Ltd");
    await insertMany(businessId, mostNamed + 1);
    const [of, about] = [
      `/businesses/${businessId}/transactions?q=`,
      `/notifications?business_id=${businessId}&q=`,
    ];
    const refusal = [400, expect.stringMatching(/q must have more of the text.*5,000 wallets/)];
    expect(await refusalOf(`${of}bulk-`)).toEqual(refusal);
    expect(await refusalOf(`${about}bulk-`)).toEqual(refusal);
    expect((await refusalOf(`${of}bulk-1`))[0]).toBe(200);
    expect((await refusalOf(`${about}bulk-1`))[0]).toBe(200);
  });

  test("of a business with more wallets than are looked at", async () => {
    const businessId = await insertBusiness(api.db, "Huge Ltd");
    await insertMany(businessId, mostLookedAt + 1);
    const refusal = [400, expect.stringMatching(/more than 100,000 wallets: name one wallet_id/)];
    expect(await refusalOf(`/businesses/${businessId}/transactions?q=bulk-17`)).toEqual(refusal);
    expect(await refusalOf(`/notifications?q=bulk-17`)).toEqual([
      400,
      expect.stringMatching(/must come with one business/),
    ]);
  });
});
