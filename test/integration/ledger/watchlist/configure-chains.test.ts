import { beforeEach, describe, expect, test } from "vitest";
import type { Hash, Position } from "../../../../src/domain/chain/block.ts";
import { faultIn } from "../../../../src/domain/fault.ts";
import type { AssetSpec } from "../../../../src/domain/money/asset.ts";
import { moveBalances } from "../../../../src/ledger/balances/move-balances.ts";
import { readHoldings } from "../../../../src/ledger/balances/read-balance.ts";
import { lockChain } from "../../../../src/ledger/chain/chain-state.ts";
import { readStatus } from "../../../../src/ledger/chain/chain-status.ts";
import { makeBalances, readNextBalances } from "../../../../src/ledger/commit/make-balances.ts";
import { keepUnsearched, settleReorg } from "../../../../src/ledger/commit/settle-reorg.ts";
import { checkSums } from "../../../../src/ledger/evidence/check-sums.ts";
import { inTransaction } from "../../../../src/ledger/postgres/transaction.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import {
  insertBusiness,
  insertTransaction,
  markSynced,
  moveChainTo,
  newWallet,
  randomAddress,
  testChain,
} from "../../../support/ledger/ledger-fixtures.ts";
import { addWallets, archiveWallet, configureChains } from "../../../support/ledger/steps.ts";
import { waitFor } from "../../../support/wait-for.ts";

const ledger = eachTestLedger();
let businessId: string;
let walletId: string;

const dai: AssetSpec = { code: "DAI", address: randomAddress(), decimals: 18, kind: "exact" };

beforeEach(async () => {
  businessId = await insertBusiness(ledger.db);
  const [wallet] = await addWallets(ledger.db, { businessId, wallets: [newWallet()] });
  walletId = wallet?.id ?? "";
});

const configure = (assets: readonly AssetSpec[], chainId = 1) =>
  configureChains(ledger.db, [{ name: "ethereum", chainId, assets }], "removed");

async function codeOf(work: Promise<unknown>) {
  return faultIn(await work.catch((error: unknown) => error))?.code;
}

/** Makes the next balances, none of which was read before. Null: there is nothing to make. */
async function makeNext(limit: number) {
  const next = await readNextBalances(ledger.db, "ethereum", limit);
  return next === null ? null : makeBalances(ledger.db, next, []);
}

/** Until every wallet has its balance of each asset. The chain's position is confirmed. */
async function makeAll(limit = 500): Promise<void> {
  await ledger.db.$executeRaw`UPDATE chain SET confirmed_number = position_number`;
  while ((await makeNext(limit)) !== null);
}

const version = async () =>
  (await ledger.db.chain.findUniqueOrThrow({ where: { name: "ethereum" } })).watchVersion;
const asset = (code: string) => ledger.db.asset.findFirstOrThrow({ where: { code } });
const balance = async (code: string) =>
  ledger.db.balance.findUniqueOrThrow({
    where: { walletId_assetId: { walletId, assetId: (await asset(code)).id } },
  });

/** Holds the chain as a commit does. `write` writes what the commit has written by its end. */
async function holdChain(write: () => Promise<unknown> = async () => {}) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = () => {};
  const held = new Promise<void>((resolve) => {
    isHeld = resolve;
  });
  const holding = inTransaction(ledger.db, async (tx) => {
    await lockChain(tx, "ethereum");
    isHeld();
    await released;
    await write();
  });
  await held;
  return {
    release: async () => {
      release();
      await holding;
    },
  };
}

async function waiting(count: number): Promise<boolean> {
  const rows = await ledger.db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return rows[0]?.count === count;
}

test("the same configuration again changes nothing", async () => {
  const before = await version();
  await configure(testChain.assets);
  expect(await version()).toBe(before);
});

test("any number of processes may configure a new chain at once", async () => {
  const base = { ...testChain, name: "base", chainId: 8453 };
  await Promise.all(Array.from({ length: 6 }, () => configureChains(ledger.db, [base], "removed")));
  const chain = await ledger.db.chain.findUniqueOrThrow({ where: { name: "base" } });
  expect(chain).toMatchObject({ evmChainId: 8453n, watchVersion: 1n, positionNumber: null });
  expect(await ledger.db.asset.count({ where: { chainName: "base" } })).toBe(2);
});

describe("a new asset", () => {
  test("is watched from the position on, with a balance to be opened for every live wallet", async () => {
    await moveChainTo(ledger.db, "ethereum", 500n);
    const before = await version();
    await configure([...testChain.assets, dai]);
    await makeAll();
    expect(await version()).toBe(before + 1n);
    const row = await ledger.db.asset.findFirstOrThrow({
      where: { code: "DAI" },
      include: { watchChange: true },
    });
    expect(row.watchChange).toMatchObject({ version: before + 1n, positionNumber: 500n });
    expect(await balance("DAI")).toMatchObject({ opening: null, sinceChangeId: row.watchChangeId });
  });

  test("misses no wallet whose addition is under way", async () => {
    await moveChainTo(ledger.db, "ethereum", 500n);
    // The addition has written its balances and waits for the chain's row, as behind a block
    // commit.
    const chain = await holdChain();
    const addition = addWallets(ledger.db, { businessId, wallets: [newWallet()] });
    await waitFor(() => waiting(1), { what: "an addition that waits", timeoutMs: 10_000 });
    const configuring = configure([...testChain.assets, dai]);
    await waitFor(() => waiting(2), { what: "a configuration that waits", timeoutMs: 10_000 });
    await chain.release();
    await Promise.all([addition, configuring]);
    await makeAll();
    const without = { balances: { none: { asset: { code: "DAI" } } } };
    expect(await ledger.db.wallet.count({ where: without })).toBe(0);
  });

  test("is opened for thousands of wallets in batches, which end anywhere and go on", async () => {
    const count = 3_000;
    const wallets = Array.from({ length: count }, () => newWallet());
    await addWallets(ledger.db, { businessId, wallets });
    const all = await ledger.db.wallet.findMany({ orderBy: { address: "asc" } });
    await markSynced(
      ledger.db,
      all.map(({ id }) => id),
    );
    await moveChainTo(ledger.db, "ethereum", 500n);
    await configure([...testChain.assets, dai]);
    const { id: assetId, watchChangeId } = await asset("DAI");
    const made = () => ledger.db.balance.count({ where: { assetId } });
    const opening = async () => (await readStatus(ledger.db, 0)).chains[0]?.openingAssets;
    const syncing = async () => (await readHoldings(ledger.db, businessId)).syncingWallets;
    expect(await made()).toBe(0);
    expect(await opening()).toEqual([{ assetCode: "DAI", wallets: count + 1, opened: 0 }]);
    expect(await syncing()).toBe(count + 1);
    // The height at which it is watched is not confirmed yet.
    expect(await makeNext(500)).toBeNull();
    await ledger.db.$executeRaw`UPDATE chain SET confirmed_number = position_number`;

    expect(await makeNext(500)).toMatchObject({
      opened: 500,
    });
    await endInTheMiddle(() => makeNext(500));
    expect(await made()).toBe(500);
    // What is paid to the last wallet does not wait for its turn, nor does a new wallet.
    const lastId = all.at(-1)?.id ?? "";
    const pending = [{ walletId: lastId, assetId, effectAtomic: 7n }];
    await inTransaction(ledger.db, async (tx) => {
      await lockChain(tx, "ethereum");
      await moveBalances(tx, { entries: [], pending }, []);
    });
    await addWallets(ledger.db, { businessId, wallets: [newWallet()] });
    await Promise.all([1, 2].map(() => makeAll()));

    expect(await opening()).toEqual([]);
    expect(await made()).toBe(count + 2);
    const ofAsset = { assetId, opening: null, sinceChangeId: watchChangeId };
    expect(await ledger.db.balance.count({ where: ofAsset })).toBe(count + 1);
    const last = await ledger.db.balance.findFirstOrThrow({ where: { assetId, walletId: lastId } });
    expect(last.pending.toFixed()).toBe("7");
  });

  /** Ends the session that works while it waits for the chain's lock. */
  async function endInTheMiddle(work: () => Promise<unknown>): Promise<void> {
    const chain = await holdChain();
    const ended = work().then(
      () => "done",
      () => "ended",
    );
    await waitFor(() => waiting(1), { what: "a batch that waits", timeoutMs: 10_000 });
    await ledger.db.$queryRaw`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    expect(await ended).toBe("ended");
    await chain.release();
  }
});

describe("an asset that left the configuration", () => {
  test("is watched no more, and its history stays", async () => {
    const before = await version();
    await configure([testChain.assets[0]]);
    expect(await version()).toBe(before + 1n);
    expect((await asset("USDC")).configured).toBe(false);
    expect(await balance("USDC")).toBeDefined();
  });

  test("is read anew when it comes back: what moved meanwhile is not known", async () => {
    await markSynced(ledger.db, [walletId], { USDC: { confirmed: 700n } });
    await configure([testChain.assets[0]]);
    await moveChainTo(ledger.db, "ethereum", 900n);
    await configure(testChain.assets);
    await makeAll();
    const row = await balance("USDC");
    expect(row.opening).toBeNull();
    expect(row.confirmed.toString()).toBe("0");
    expect(row.sinceChangeId).toBe((await asset("USDC")).watchChangeId);
    const entry = await ledger.db.ledgerEntry.findFirstOrThrow();
    expect(entry).toMatchObject({ kind: "opening_undone", blockNumber: 900n });
    expect(entry.amount.toString()).toBe("-700");
  });
});

describe("an asset that comes back to many wallets", () => {
  test("has no balance of before anywhere, and a movement takes its own back first", async () => {
    await addWallets(ledger.db, { businessId, wallets: [newWallet(), newWallet(), newWallet()] });
    const ids = (await ledger.db.wallet.findMany({ orderBy: { address: "asc" } })).map(
      ({ id }) => id,
    );
    await markSynced(ledger.db, ids, { USDC: { confirmed: 700n } });
    await configure([testChain.assets[0]]);
    await moveChainTo(ledger.db, "ethereum", 900n);
    await configure(testChain.assets);
    const { id: assetId } = await asset("USDC");
    // What is left of before is no balance of now.
    const holdings = { syncingWallets: 4, holdings: [] };
    expect(await readHoldings(ledger.db, businessId)).toEqual(holdings);
    const lastId = ids.at(-1) ?? "";
    await inTransaction(ledger.db, async (tx) => {
      await lockChain(tx, "ethereum");
      const pending = [{ walletId: lastId, assetId, effectAtomic: 3n }];
      await moveBalances(tx, { entries: [], pending }, []);
    });
    const before = await ledger.db.balance.findMany({ where: { assetId } });
    const left = (id: string) => before.find(({ walletId: one }) => one === id);
    expect(left(lastId)).toMatchObject({ opening: null });
    expect(left(lastId)?.confirmed.toFixed()).toBe("0");
    expect(left(ids[0] ?? "")?.confirmed.toFixed()).toBe("700");
    await makeAll(1);
    const rows = await ledger.db.balance.findMany({ where: { assetId } });
    expect(rows.map(({ confirmed, opening }) => [confirmed.toFixed(), opening])).toEqual(
      ids.map(() => ["0", null]),
    );
    expect(rows.find(({ walletId: one }) => one === lastId)?.pending.toFixed()).toBe("3");
    const { _sum: sum, _count: count } = await ledger.db.ledgerEntry.aggregate({
      _sum: { amount: true },
      _count: true,
    });
    expect([count, sum.amount?.toFixed()]).toEqual([4, "-2800"]);
  });
});

describe("a payment of before its asset left the configuration", () => {
  /** A payment that a rewind has taken away for now. Returns its block. */
  async function payBefore(): Promise<Position> {
    const { id: assetId } = await asset("USDC");
    const paid = { walletId, assetCode: "USDC", amountAtomic: 5n, isOrphaned: true };
    const transactionId = await insertTransaction(ledger.db, paid);
    const of = { walletId, assetId, transactionId, kind: "confirmation", amount: "5" };
    await ledger.db.ledgerEntry.create({ data: { ...of, blockNumber: 100n } });
    await markSynced(ledger.db, [walletId], { USDC: { confirmed: 5n } });
    const row = await ledger.db.transaction.findUniqueOrThrow({ where: { id: transactionId } });
    return { number: row.blockNumber, hash: row.blockHash as Hash };
  }

  async function comeBack(): Promise<void> {
    await configure([testChain.assets[0]]);
    await moveChainTo(ledger.db, "ethereum", 900n);
    await configure(testChain.assets);
  }

  test("is taken back once where it leaves the chain before its balance is made anew", async () => {
    await payBefore();
    await comeBack();
    const settled = await inTransaction(ledger.db, async (tx) => {
      await lockChain(tx, "ethereum");
      return settleReorg(tx, "ethereum", []);
    });
    expect(settled).toMatchObject({ reversed: 1 });
    expect((await balance("USDC")).confirmed.toFixed()).toBe("0");
    expect(await checkSums(ledger.db)).toEqual([]);
  });

  test("stays in the balance of a wallet that has ended, where its block is read again", async () => {
    const tip = await payBefore();
    await addWallets(ledger.db, { businessId, wallets: [newWallet()] });
    await archiveWallet(ledger.db, walletId);
    await comeBack();
    await inTransaction(ledger.db, async (tx) => {
      await lockChain(tx, "ethereum");
      await keepUnsearched(tx, "ethereum", tip, []);
    });
    expect((await balance("USDC")).confirmed.toFixed()).toBe("5");
    expect(await checkSums(ledger.db)).toEqual([]);
  });
});

describe("the settings of an asset", () => {
  test("may change; its decimals only while there are no entries", async () => {
    const [eth, usdc] = testChain.assets;
    await configure([eth, { ...usdc, code: "USDC.e", decimals: 7 }]);
    expect(await asset("USDC.e")).toMatchObject({ decimals: 7 });
    await insertTransaction(ledger.db, { walletId, assetCode: "USDC.e" });
    const before = await version();
    expect(await codeOf(configure([eth, usdc, dai]))).toBe("asset_decimals_changed");
    expect(await version()).toBe(before);
    expect(await ledger.db.asset.count({ where: { code: "DAI" } })).toBe(0);
    await configure([eth, { ...usdc, decimals: 7 }]);
    expect(await asset("USDC")).toMatchObject({ decimals: 7 });
  });

  test("has no other decimals where an entry is written beside", async () => {
    const [eth, usdc] = testChain.assets;
    const chain = await holdChain(() =>
      insertTransaction(ledger.db, { walletId, assetCode: "USDC" }),
    );
    const configuring = codeOf(configure([eth, { ...usdc, decimals: 7 }]));
    await waitFor(() => waiting(1), { what: "a configuration that waits", timeoutMs: 10_000 });
    await chain.release();
    expect(await configuring).toBe("asset_decimals_changed");
    expect(await asset("USDC")).toMatchObject({ decimals: 6 });
  });

  test("does not include another asset's code", async () => {
    const [eth] = testChain.assets;
    expect(await codeOf(configure([eth, { ...dai, code: "USDC" }]))).toBe("invalid_configuration");
  });
});

test("a known chain does not become another one", async () => {
  expect(await codeOf(configure(testChain.assets, 5))).toBe("wrong_chain_id");
});
