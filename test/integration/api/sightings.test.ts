import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toChecksum } from "../../../src/domain/chain/checksum.ts";
import { sightingsKeptMs } from "../../../src/domain/money/sighting.ts";
import { pruneSightings } from "../../../src/ledger/sightings/prune-sightings.ts";
import { insertStranger, openTestApi, type TestApi } from "../../support/api/test-api.ts";
import { insertTransaction, moveChainTo, newWallet } from "../../support/ledger/ledger-fixtures.ts";
import { insertSighting as insertSightingOf } from "../../support/ledger/sightings.ts";
import { addWallets } from "../../support/ledger/steps.ts";

let api: TestApi;

beforeAll(async () => {
  api = await openTestApi();
  await moveChainTo(api.db, "ethereum", 111n);
});

afterAll(() => api.stop());

/** A sighting of a fresh wallet, or of one that is there. */
async function insertSighting(given: Partial<Parameters<typeof insertSightingOf>[1]> = {}) {
  const { businessId = api.businessId, walletId, ...fields } = given;
  const wallet = newWallet();
  const [added] =
    walletId === undefined
      ? await addWallets(api.db, { businessId, wallets: [wallet] })
      : [{ id: walletId }];
  const to = { businessId, walletId: added?.id ?? "", toAddress: wallet.address };
  return insertSightingOf(api.db, { ...to, ...fields });
}

type Listed = { data: { id: string }[]; next_cursor: string | null };

async function list(query: string, key?: string): Promise<Listed> {
  const response = await api.get(`/sightings?${query}`, key);
  expect(response.statusCode).toBe(200);
  return response.json();
}

describe("GET /sightings", () => {
  test("shows a transfer with its exact raw amount, and the symbol as nobody's word", async () => {
    const row = await insertSighting({ symbol: "USDT" });
    expect((await list(`wallet_id=${row.walletId}`)).data).toEqual([
      {
        id: row.id,
        status: "pending",
        blockchain: "ethereum",
        wallet_id: row.walletId,
        reference: null,
        label: null,
        contract: toChecksum(row.contract),
        unverified_symbol: "USDT",
        raw_amount: row.amount,
        tx_hash: row.txHash,
        from_address: toChecksum(row.fromAddress),
        to_address: toChecksum(row.toAddress),
        block_number: 100,
        log_index: 7,
        date: "2026-01-31T00:00:00.000Z",
        proof: "root",
      },
    ]);
  });

  test("finds it by wallet, chain, contract and hash, whatever the case", async () => {
    const row = await insertSighting();
    const queries = [
      `wallet_id=${row.walletId}`,
      `contract=${toChecksum(row.contract)}`,
      `tx_hash=${row.txHash.toUpperCase().replace("X", "x")}&blockchain=ethereum`,
    ];
    for (const query of queries)
      expect((await list(query)).data.map(({ id }) => id)).toEqual([row.id]);
    expect((await list(`tx_hash=${row.txHash}&blockchain=base`)).data).toEqual([]);
    expect((await api.get("/sightings?contract=0x12")).json()).toMatchObject({
      error: { code: "invalid_request" },
    });
  });

  test("marks a sender that only looks like somebody whom the wallet has paid", async () => {
    const { walletId } = await insertSighting();
    const [paid, poisoner] = ["3", "9"].map((one) => `0xa1b2${one.repeat(32)}c4d5`);
    await insertTransaction(api.db, { walletId, type: "withdrawal", other: paid ?? "" });
    const later = Date.UTC(2026, 1, 1);
    await insertSighting({ walletId, fromAddress: paid ?? "", timeMs: later });
    await insertSighting({ walletId, fromAddress: poisoner ?? "", timeMs: later + 1 });
    const { data } = await list(`wallet_id=${walletId}`);
    expect(data.map((row) => Reflect.get(row, "lookalike_of"))).toEqual([
      toChecksum(paid ?? ""),
      undefined,
      undefined,
    ]);
  });

  test("pages from the newest to the oldest", async () => {
    const { walletId, id: oldest } = await insertSighting({ timeMs: 1_000 });
    const { id: newest } = await insertSighting({ walletId, timeMs: 3_000 });
    const { id: middle } = await insertSighting({ walletId, timeMs: 2_000 });
    const first = await list(`wallet_id=${walletId}&limit=2`);
    expect(first.data.map(({ id }) => id)).toEqual([newest, middle]);
    const second = await list(`wallet_id=${walletId}&limit=2&cursor=${first.next_cursor}`);
    expect(second).toMatchObject({ data: [{ id: oldest }], next_cursor: null });
  });

  test("finds it by the time of its block, and says whose wallet it came to", async () => {
    const names = { reference: "customer-17", label: "Shop in Lisbon" };
    const { businessId } = api;
    const [wallet] = await addWallets(api.db, { businessId, wallets: [newWallet(names)] });
    const walletId = wallet?.id ?? "";
    const { id } = await insertSighting({ walletId, timeMs: Date.UTC(2026, 2, 1, 12) });
    await insertSighting({ walletId, timeMs: Date.UTC(2026, 2, 2) });
    const { data } = await list(`wallet_id=${walletId}&from=2026-03-01&to=2026-03-02`);
    expect(data).toMatchObject([{ id, ...names }]);
  });

  test("shows nothing of another business, and all of it to the operator", async () => {
    const { businessId } = await insertStranger(api);
    const row = await insertSighting({ businessId });
    expect((await list(`tx_hash=${row.txHash}`)).data).toEqual([]);
    const answer = await api.admin("GET", `/businesses/${businessId}/sightings`);
    expect(answer.json()).toMatchObject({ data: [{ id: row.id }], next_cursor: null });
  });
});

test("sightings are forgotten once they were kept long enough, so many at a time", async () => {
  await api.db.sighting.deleteMany();
  const kept = await insertSighting({ timeMs: Date.now() - sightingsKeptMs + 60_000 });
  for (const days of [1, 2, 3])
    await insertSighting({ timeMs: Date.now() - sightingsKeptMs - days * 86_400_000 });
  expect(await pruneSightings(api.db, { limit: 2 })).toBe(2);
  expect(await pruneSightings(api.db, { limit: 2 })).toBe(1);
  expect(await pruneSightings(api.db, { limit: 2 })).toBe(0);
  expect(await api.db.sighting.findMany({ select: { id: true } })).toEqual([{ id: kept.id }]);
});
