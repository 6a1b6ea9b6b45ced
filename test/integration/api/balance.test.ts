import { expect, test } from "vitest";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertStranger } from "../../support/api/test-api.ts";
import {
  markSynced,
  newWallet,
  randomAddress,
  testChain,
} from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, archiveWallet, configureChains } from "../../support/ledger/steps.ts";

const api = eachTestApi();

const eth = (amount: number) => BigInt(amount) * 10n ** 18n;

async function addWallet(businessId = api.businessId): Promise<string> {
  const [wallet] = await addWallets(api.db, { businessId, wallets: [newWallet()] });
  return wallet?.id ?? "";
}

test("a business without wallets has nothing", async () => {
  const response = await api.get("/balance");
  expect(response.statusCode).toBe(200);
  expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(response.body).toBe(
    '{"success":true,"net_worth_usd":0.00,"assets":{},"pending":{},"unpriced_assets":[],"prices_as_of":null,"syncing_wallets":0,' +
      '"net_worth":"0.00","holdings":[]}',
  );
});

test("what all wallets hold is one exact sum for each asset", async () => {
  const wallets = [await addWallet(), await addWallet()];
  await markSynced(api.db, wallets, {
    ETH: { confirmed: 10n ** 36n + 1n, pending: 5n },
    USDC: { confirmed: 0n, pending: 2_500_000n },
  });
  const { body } = await api.get("/balance");
  expect(body).toContain('"assets":{"ETH":2000000000000000000.000000000000000002}');
  expect(body).toContain('"pending":{"ETH":0.00000000000000001,"USDC":5}');
  expect(body).toContain('"net_worth_usd":5000250000000000000000.00');
  expect(JSON.parse(body)).toMatchObject({
    unpriced_assets: [],
    prices_as_of: "2026-01-01T00:00:00.000Z",
  });
});

test("a balance without its opening is left out, and no other one of its wallet", async () => {
  const synced = await addWallet();
  const syncing = await addWallet();
  await markSynced(api.db, [synced, syncing], {
    ETH: { confirmed: eth(1) },
    USDC: { confirmed: 3_000_000n },
  });
  await api.db.balance.updateMany({
    where: { walletId: syncing, asset: { code: "USDC" } },
    data: { opening: null },
  });
  expect((await api.get("/balance")).json()).toMatchObject({
    assets: { ETH: 2, USDC: 3 },
    syncing_wallets: 1,
  });
});

test("a removed wallet, another business's and an asset that left the configuration are left out", async () => {
  const removed = await addWallet();
  const mine = await addWallet();
  const { businessId } = await insertStranger(api);
  const theirs = await addWallet(businessId);
  await markSynced(api.db, [removed, mine, theirs], {
    ETH: { confirmed: eth(1) },
    USDC: { confirmed: 7n },
  });
  await archiveWallet(api.db, removed);
  await configureChains(api.db, [{ ...testChain, assets: [testChain.assets[0]] }], "removed");
  expect((await api.get("/balance")).json()).toMatchObject({
    assets: { ETH: 1 },
    net_worth_usd: 2500.12,
    syncing_wallets: 0,
  });
});

test("an asset without a price is shown, listed as unpriced, and not in the net worth", async () => {
  const dai = { code: "DAI", address: randomAddress(), decimals: 18, kind: "exact" } as const;
  await configureChains(api.db, [{ ...testChain, assets: [...testChain.assets, dai] }], "removed");
  const wallet = await addWallet();
  await markSynced(api.db, [wallet], {
    DAI: { confirmed: eth(3) },
    USDC: { confirmed: 1_000_000n },
  });
  expect((await api.get("/balance")).json()).toMatchObject({
    net_worth_usd: 1,
    assets: { DAI: 3, USDC: 1 },
    unpriced_assets: ["DAI"],
  });
});

test("a sum beyond 78 digits is exact", async () => {
  const wallets = await Promise.all(Array.from({ length: 9 }, () => addWallet()));
  const most = 2n ** 256n - 1n;
  await markSynced(api.db, wallets, { USDC: { confirmed: most } });
  const digits = (9n * most).toString();
  const { body } = await api.get("/balance");
  expect(body).toContain(`"USDC":${digits.slice(0, -6)}.${digits.slice(-6)}`);
});
