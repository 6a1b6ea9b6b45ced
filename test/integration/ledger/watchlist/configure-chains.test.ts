import { beforeEach, describe, expect, test } from "vitest";
import { faultIn } from "../../../../src/domain/fault.ts";
import type { AssetSpec } from "../../../../src/domain/money/asset.ts";
import { lockChain } from "../../../../src/ledger/chain/chain-state.ts";
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
import { addWallets, configureChains } from "../../../support/ledger/steps.ts";
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

const version = async () =>
  (await ledger.db.chain.findUniqueOrThrow({ where: { name: "ethereum" } })).watchVersion;
const asset = (code: string) => ledger.db.asset.findFirstOrThrow({ where: { code } });
const balance = async (code: string) =>
  ledger.db.balance.findUniqueOrThrow({
    where: { walletId_assetId: { walletId, assetId: (await asset(code)).id } },
  });

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
    expect(await version()).toBe(before + 1n);
    const row = await ledger.db.asset.findFirstOrThrow({
      where: { code: "DAI" },
      include: { watchChange: true },
    });
    expect(row.watchChange).toMatchObject({ version: before + 1n, positionNumber: 500n });
    expect(await balance("DAI")).toMatchObject({ opening: null, sinceChangeId: row.watchChangeId });
  });

  test("misses no wallet whose addition is under way", async () => {
    // The addition has written its balances and waits for the chain's row, as behind a block
    // commit.
    const chain = await holdChain();
    const addition = addWallets(ledger.db, { businessId, wallets: [newWallet()] });
    await waitFor(() => waiting(1), { what: "an addition that waits", timeoutMs: 10_000 });
    const configuring = configure([...testChain.assets, dai]);
    await waitFor(() => waiting(2), { what: "a configuration that waits", timeoutMs: 10_000 });
    await chain.release();
    await Promise.all([addition, configuring]);
    const without = { balances: { none: { asset: { code: "DAI" } } } };
    expect(await ledger.db.wallet.count({ where: without })).toBe(0);
  });

  async function holdChain() {
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
    const row = await balance("USDC");
    expect(row.opening).toBeNull();
    expect(row.confirmed.toString()).toBe("0");
    expect(row.sinceChangeId).toBe((await asset("USDC")).watchChangeId);
    const entry = await ledger.db.ledgerEntry.findFirstOrThrow();
    expect(entry).toMatchObject({ kind: "opening_undone", blockNumber: 900n });
    expect(entry.amount.toString()).toBe("-700");
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

  test("does not include another asset's code", async () => {
    const [eth] = testChain.assets;
    expect(await codeOf(configure([eth, { ...dai, code: "USDC" }]))).toBe("invalid_configuration");
  });
});

test("a known chain does not become another one", async () => {
  expect(await codeOf(configure(testChain.assets, 5))).toBe("wrong_chain_id");
});
