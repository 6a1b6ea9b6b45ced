import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toChecksum } from "../../../src/domain/chain/checksum.ts";
import { insertStranger, openTestApi, type TestApi } from "../../support/api/test-api.ts";
import {
  insertDelivery,
  insertTransaction,
  moveChainTo,
  newWallet,
  randomHash,
} from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, registerWebhook } from "../../support/ledger/steps.ts";

let api: TestApi;
let walletId: string;
let address: string;

beforeAll(async () => {
  api = await openTestApi();
});

afterAll(() => api.stop());

async function freshWallet(businessId = api.businessId): Promise<string> {
  const wallet = newWallet({ reference: "order-17" });
  const [added] = await addWallets(api.db, { businessId, wallets: [wallet] });
  walletId = added?.id ?? "";
  address = wallet.address;
  return walletId;
}

type Row = { id: string; amount: string; status: string; type: string };

async function list(query: string): Promise<{ data: Row[]; next_cursor: string | null }> {
  const response = await api.get(`/transactions?${query}`);
  expect(response.statusCode).toBe(200);
  return response.json();
}

const ids = (page: { data: Row[] }) => page.data.map((row) => row.id);

describe("the list", () => {
  test("shows a transaction with exact digits and everything of its row", async () => {
    await freshWallet();
    await moveChainTo(api.db, "ethereum", 111n);
    const txHash = randomHash();
    const amountAtomic = 2n ** 255n + 1n;
    const id = await insertTransaction(api.db, {
      walletId,
      txHash,
      amountAtomic,
      blockNumber: 100n,
    });
    const { data } = await list(`wallet_id=${walletId}`);
    expect(data).toEqual([
      {
        id,
        type: "deposit",
        amount: "57896044618658097711785492504343953926634992332820282019728.792003956564819969",
        asset: "ETH",
        status: "completed",
        date: "2026-01-02T03:04:05.000Z",
        wallet_id: walletId,
        blockchain: "ethereum",
        tx_hash: txHash,
        from_address: expect.stringMatching(/^0x/),
        to_address: toChecksum(address),
        memo: null,
        virtual_address: null,
        confirmations: 12,
      },
    ]);
  });

  test("marks a sender that only looks like somebody whom the wallet has paid", async () => {
    await freshWallet();
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
    const [paid, poisoner] = ["3", "9"].map((one) => `0xa1b2${one.repeat(32)}c4d5`);
    const other = paid ?? "";
    await insertTransaction(api.db, { walletId, type: "withdrawal", other, blockTime: at(1) });
    await insertTransaction(api.db, { walletId, other, blockTime: at(2) });
    const id = await insertTransaction(api.db, {
      walletId,
      other: poisoner ?? "",
      blockTime: at(3),
    });
    const { data } = await list(`wallet_id=${walletId}`);
    const marks = data.map((row) => Reflect.get(row, "lookalike_of"));
    expect(marks).toEqual([toChecksum(other), undefined, undefined]);
    const detail = (await api.get(`/transactions/${id}`)).json();
    expect(detail.data.lookalike_of).toBe(toChecksum(other));
    // A reorganisation that is not settled yet has undone the payment.
    await api.db.transaction.updateMany({
      where: { walletId, type: "withdrawal" },
      data: { orphaned: true },
    });
    expect((await api.get(`/transactions/${id}`)).json().data).not.toHaveProperty("lookalike_of");
  });

  test("counts confirmations only of what is on the chain", async () => {
    await freshWallet();
    await moveChainTo(api.db, "ethereum", 111n);
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
    const mine = { walletId, blockNumber: 111n };
    await insertTransaction(api.db, { ...mine, status: "pending", blockTime: at(5) });
    await insertTransaction(api.db, { ...mine, status: "dropped", blockTime: at(4) });
    await insertTransaction(api.db, { ...mine, status: "reversed", blockTime: at(3) });
    await insertTransaction(api.db, { ...mine, isOrphaned: true, blockTime: at(2) });
    await insertTransaction(api.db, { walletId, blockNumber: 120n, blockTime: at(1) });
    const { data } = await list(`wallet_id=${walletId}`);
    expect(data.map((row) => Reflect.get(row, "confirmations"))).toEqual([1, 0, 0, 0, 0]);
    // An orphaned one goes on showing its old status.
    expect(data[3]?.status).toBe("completed");
  });

  test("shows deposits, withdrawals and payments, and other types only when asked for", async () => {
    await freshWallet();
    const all = [
      "deposit",
      "withdrawal",
      "payment",
      "fee",
      "income",
      "adjustment",
      "unattributed",
    ] as const;
    for (const type of all) await insertTransaction(api.db, { walletId, type });
    const shown = (await list(`wallet_id=${walletId}`)).data.map((row) => row.type);
    expect(shown.sort()).toEqual(["deposit", "payment", "withdrawal"]);
    for (const type of all) {
      const { data } = await list(`wallet_id=${walletId}&type=${type}`);
      expect(data.map((row) => row.type)).toEqual([type]);
    }
  });

  test("filters by asset, status, hash, chain and time", async () => {
    await freshWallet();
    const txHash = randomHash();
    const eth = await insertTransaction(api.db, {
      walletId,
      txHash,
      blockTime: new Date("2026-03-01T00:00:00.000Z"),
    });
    const usdc = await insertTransaction(api.db, {
      walletId,
      assetCode: "USDC",
      status: "pending",
      blockTime: new Date("2026-03-02T00:00:00.000Z"),
    });
    const mine = (query: string) => list(`wallet_id=${walletId}&${query}`).then(ids);
    expect(await mine("asset=USDC")).toEqual([usdc]);
    expect(await mine("asset=usdc")).toEqual([usdc]);
    expect(await mine("status=completed")).toEqual([eth]);
    expect(await mine(`tx_hash=${txHash.toUpperCase().replace("0X", "0x")}`)).toEqual([eth]);
    const [begin, end] = [txHash.slice(0, 8), txHash.slice(-6)];
    expect(await mine(`tx_hash=${begin}`)).toEqual([eth]);
    expect(await mine(`tx_hash=${begin.toUpperCase()}…${end}`)).toEqual([eth]);
    expect(await mine(`tx_hash=${begin}...${end}`)).toEqual([eth]);
    expect(await mine(`tx_hash=${begin}…${randomHash().slice(-6)}`)).toEqual([]);
    expect(await list(`tx_hash=${begin}…${end}`).then(ids)).toEqual([eth]);
    expect(await mine("blockchain=ethereum")).toEqual([usdc, eth]);
    expect(await mine("blockchain=base")).toEqual([]);
    expect(await mine("from=2026-03-02")).toEqual([usdc]);
    expect(await mine("to=2026-03-02")).toEqual([eth]);
    expect(await mine("from=2026-03-01T02:00:00%2B02:00&to=2026-03-01T00:00:00.001Z")).toEqual([
      eth,
    ]);
  });

  test("knows nothing of another business's wallet", async () => {
    const { businessId } = await insertStranger(api);
    const theirs = await freshWallet(businessId);
    await insertTransaction(api.db, { walletId: theirs });
    expect(await list(`wallet_id=${theirs}`)).toMatchObject({ data: [], next_cursor: null });
  });

  test.each([
    ["limit=0", "limit"],
    ["limit=501", "limit"],
    ["limit=1&limit=2", "limit"],
    ["cursor=x", "cursor"],
    ["type=gift", "type"],
    ["status=done", "status"],
    ["wallet_id=1", "wallet_id"],
    ["tx_hash=0x12345", "tx_hash"],
    ["from=yesterday", "from"],
    ["to=2026-13-01", "to"],
    ["asset=%00", "asset"],
    ["asset=DOGE", "asset"],
    ["blockchain=", "blockchain"],
    ["colour=blue", "colour"],
  ])("refuses %s and names the field", async (query, field) => {
    const response = await api.get(`/transactions?${query}`);
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({ code: "invalid_request", details: [{ field }] });
  });
});

describe("paging", () => {
  test("shows each row once, newest first, while more are added at both ends", async () => {
    await freshWallet();
    const minute = (n: number) => new Date(Date.UTC(2026, 1, 1, 0, n));
    const known: string[] = [];
    for (let n = 100; n < 123; n += 1) {
      known.push(await insertTransaction(api.db, { walletId, blockTime: minute(n) }));
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    let n = 0;
    do {
      const after: string = cursor === null ? "" : `&cursor=${cursor}`;
      const page = await list(`wallet_id=${walletId}&limit=5${after}`);
      expect(page.data.length).toBeLessThanOrEqual(5);
      seen.push(...ids(page));
      cursor = page.next_cursor;
      n += 1;
      await insertTransaction(api.db, { walletId, blockTime: minute(200 + n) });
      await insertTransaction(api.db, { walletId, blockTime: minute(100 + 3 * n) });
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(seen.length);
    expect([...seen].sort().reverse()).toEqual(seen);
    expect(known.filter((id) => !seen.includes(id))).toEqual([]);
  });

  test("has 50 rows by default, and 500 at most", async () => {
    await freshWallet();
    for (let n = 0; n < 51; n += 1) await insertTransaction(api.db, { walletId });
    expect((await list(`wallet_id=${walletId}`)).data).toHaveLength(50);
    const whole = await list(`wallet_id=${walletId}&limit=500`);
    expect(whole.data).toHaveLength(51);
    expect(whole.next_cursor).toBeNull();
  });
});

describe("one transaction", () => {
  test("shows the block, the fee of an own send, its value and its notifications", async () => {
    await freshWallet();
    const txHash = randomHash();
    const id = await insertTransaction(api.db, {
      walletId,
      type: "withdrawal",
      assetCode: "USDC",
      amountAtomic: 1_250_000n,
      txHash,
      usdValue: "1.2500",
    });
    await insertTransaction(api.db, {
      walletId,
      type: "fee",
      amountAtomic: 21_000n * 10n ** 9n,
      txHash,
    });
    const { webhook } = await registerWebhook(api.db, {
      businessId: api.businessId,
      url: "https://a.example/",
      secretCiphertext: "x",
    });
    const { notificationId } = await insertDelivery(api.db, {
      businessId: api.businessId,
      transactionId: id,
      webhookId: webhook.id,
      attempts: 2,
    });
    const read = async () => (await api.get(`/transactions/${id}`)).json();
    expect(await read()).toMatchObject({
      success: true,
      data: {
        id,
        type: "withdrawal",
        amount: "1.25",
        block_number: 100,
        block_hash: expect.stringMatching(/^0x/),
        log_index: null,
        trace_path: null,
        required_confirmations: 12,
        fee: { amount: "0.000021", asset: "ETH" },
        usd_value: "1.25",
        reference: "order-17",
        notifications: [
          {
            id: notificationId,
            event: "transaction.deposit",
            status: "waiting",
            attempts: 2,
            delivered_at: null,
          },
        ],
      },
    });
    await api.db.webhook.update({ where: { id: webhook.id }, data: { isActive: false } });
    expect((await read()).data.notifications[0].status).toBe("held");
    const deliveredAt = new Date("2026-01-03T00:00:00.000Z");
    await api.db.delivery.updateMany({
      where: { notificationId },
      data: { status: "delivered", deliveredAt },
    });
    expect((await read()).data.notifications[0]).toMatchObject({
      status: "delivered",
      delivered_at: deliveredAt.toISOString(),
    });
  });

  test("of a deposit has no fee, though its sender paid one in the same transaction", async () => {
    const payer = await freshWallet();
    const txHash = randomHash();
    await insertTransaction(api.db, { walletId: payer, type: "fee", txHash });
    const receiver = await freshWallet();
    const id = await insertTransaction(api.db, { walletId: receiver, txHash });
    const { data } = (await api.get(`/transactions/${id}`)).json();
    expect(data).toMatchObject({ fee: null, usd_value: null, notifications: [] });
  });

  test("of another business is not found, with the body of one that does not exist", async () => {
    const { businessId } = await insertStranger(api);
    const theirs = await insertTransaction(api.db, { walletId: await freshWallet(businessId) });
    const answers = await Promise.all(
      [theirs, "01900000-0000-7000-8000-000000000000", "nonsense"].map(async (id) => {
        const response = await api.get(`/transactions/${id}`);
        expect(response.statusCode).toBe(404);
        return response.json().error;
      }),
    );
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });
});
