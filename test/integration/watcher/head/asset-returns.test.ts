import { describe, expect, it, onTestFinished, test } from "vitest";
import { parseAddress } from "../../../../src/domain/chain/address.ts";
import { readWalletBalancesAt } from "../../../../src/ledger/evidence/balances-at.ts";
import { checkLedger } from "../../../../src/ledger/evidence/check-ledger.ts";
import { fillHistory } from "../../../../src/watcher/history/fill-history.ts";
import { startAnvil } from "../../../support/chain/anvil.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { deployToken } from "../../../support/chain/token.ts";
import { watchChain } from "../../../support/chain/watched-chain.ts";
import {
  archiveWallet,
  configureChains,
  requestHistory,
  rewindChain,
} from "../../../support/ledger/steps.ts";
import { quiet } from "../../../support/quiet.ts";

/**
 * A token that leaves the configuration and comes back. One deposit was confirmed before that, one
 * is pending meanwhile, one is not seen, and one follows.
 */
async function returning() {
  const anvil = await startAnvil({});
  onTestFinished(anvil.stop);
  const token = await deployToken(anvil);
  await token.mint(payer, 1_000n);
  const watched = await watchChain({ rpcUrl: anvil.rpcUrl, depth: 4, tokens: [token.asset] });
  onTestFinished(watched.stop);
  await watched.catchUp();
  const walletId = await watched.addWallet(wallet);
  const { db, chainName } = watched;

  const native = { code: "ETH", address: "native", decimals: 18, kind: "exact" } as const;
  const own = { ...token.asset, address: parseAddress(token.address), kind: "exact" } as const;
  const configure = (assets: (typeof native | typeof own)[]) =>
    configureChains(db, [{ name: chainName, chainId: 31_337, assets }], "removed");

  const before = BigInt(await anvil.blockNumber());
  await token.transfer(payer, wallet, 5n);
  await anvil.mine(4);
  await token.transfer(payer, wallet, 7n);
  await watched.catchUp();
  await configure([native]);
  // Not watched: the ledger does not see it, the opening read later does.
  await token.transfer(payer, wallet, 11n);
  await watched.catchUp();
  await configure([native, own]);
  await token.transfer(payer, wallet, 13n);
  await watched.catchUp();
  const ofToken = { walletId, asset: { code: "TST" } };
  return {
    ...watched,
    anvil,
    token,
    /** The block below all of it. */
    before,
    balance: () => db.balance.findFirstOrThrow({ where: ofToken }),
    entries: () =>
      db.ledgerEntry.aggregate({
        where: { walletId, balance: { asset: { code: "TST" } } },
        _sum: { amount: true },
      }),
    rows: () => db.transaction.findMany({ where: ofToken, orderBy: { id: "asc" } }),
    states: async () =>
      (await db.notification.findMany({ orderBy: { seq: "asc" } })).map(({ state }) => state),
  };
}

test("an asset that leaves the configuration and comes back while a deposit is pending is counted once", async () => {
  const { anvil, token, catchUp, balance, entries } = await returning();
  await anvil.mine(8);
  await catchUp();
  const { confirmed, pending } = await balance();
  expect(BigInt(confirmed.toFixed())).toBe(await token.balanceOf(wallet));
  expect(pending.toFixed()).toBe("0");
  expect((await entries())._sum.amount?.toFixed()).toBe(confirmed.toFixed());
});

test("a history of before it came back explains the opening, beside what was pending then", async () => {
  const world = await returning();
  const { anvil, token, before, db, businessId, chain, rounds, ledger, oldBlocks } = world;
  await anvil.mine(8);
  await world.catchUp();
  const { walletId } = await world.balance();
  await requestHistory(db, { walletId, fromNumber: before + 1n });
  const ports = { chain, rounds: rounds.histories, ledger, oldBlocks, log: quiet };
  while ((await fillHistory(ports, world.chainName)).kind !== "idle");
  expect(await db.history.findFirst()).toMatchObject({ verdict: "agrees" });
  const last = BigInt(await anvil.blockNumber()) - 8n;
  for (let number = before; number <= last; number += 1n) {
    const at = { kind: "block", number } as const;
    const { balances } = await readWalletBalancesAt(db, { businessId, walletId, at });
    const told = balances.find(({ assetCode }) => assetCode === "TST")?.amountAtomic;
    expect(told, `at block ${number}`).toBe(await token.balanceOf(wallet, Number(number)));
  }
});

describe("a withdrawal of a token whose balances are not made yet", () => {
  it.each(["wallet", "token"])(
    "is confirmed, though its %s is not watched any more",
    async (end) => {
      const anvil = await startAnvil({});
      onTestFinished(anvil.stop);
      const token = await deployToken(anvil);
      await token.mint(payer, 1_000n);
      const watched = await watchChain({ rpcUrl: anvil.rpcUrl, depth: 4 });
      onTestFinished(watched.stop);
      const { db, chainName, catchUp } = watched;
      await catchUp();
      const walletId = await watched.addWallet(payer);
      const native = { code: "ETH", address: "native", decimals: 18, kind: "exact" } as const;
      const own = { ...token.asset, address: parseAddress(token.address), kind: "exact" } as const;
      const configure = (assets: (typeof native | typeof own)[]) =>
        configureChains(db, [{ name: chainName, chainId: 31_337, assets }], "removed");
      await configure([native, own]);
      await token.transfer(payer, wallet, 7n);
      await catchUp();
      if (end === "wallet") await archiveWallet(db, walletId);
      else await configure([native]);
      // First the balances of all other wallets are made, then the withdrawal is confirmed.
      await anvil.mine(2);
      await catchUp();
      await anvil.mine(1);
      await catchUp();
      const ofToken = { walletId, asset: { code: "TST" } };
      expect(await db.transaction.findMany({ where: ofToken })).toMatchObject([
        { type: "withdrawal", status: "completed" },
      ]);
      expect((await checkLedger(db)).findings).toEqual([]);
    },
  );
});

describe("a chain that is rewound below the block in which an asset came back", () => {
  const thrice = (state: string) => [state, state, state];

  it.each([
    ["openings are read once all is read again", false],
    ["openings are read on the way", true],
  ])("keeps what was confirmed before that, and notifies nobody: %s", async (_, isOnTheWay) => {
    const world = await returning();
    const { db, chainName, anvil, before, catchUp } = world;
    await anvil.mine(8);
    await catchUp();
    const [rows, held] = [await world.rows(), await world.balance()];
    expect(await world.states()).toEqual(thrice("confirmed"));
    await rewindChain(db, { chainName, toNumber: before });
    const step = world.newStep();
    while (isOnTheWay && (await step.run()) === "again") await world.balancesStep();
    await catchUp();
    expect(await world.rows()).toEqual(rows);
    expect(await world.states()).toEqual(thrice("confirmed"));
    const { confirmed } = await world.balance();
    expect(confirmed.toFixed()).toBe(held.confirmed.toFixed());
    expect(BigInt(confirmed.toFixed())).toBe(await world.token.balanceOf(wallet));
    expect((await checkLedger(db)).findings).toEqual([]);
  });

  it("confirms what was pending then, once", async () => {
    const world = await returning();
    const { db, chainName, anvil, before, catchUp } = world;
    expect((await world.rows()).map(({ status }) => status)).toEqual([
      "completed",
      "pending",
      "pending",
    ]);
    await rewindChain(db, { chainName, toNumber: before });
    await catchUp();
    await anvil.mine(8);
    await catchUp();
    expect(await world.states()).toEqual(thrice("confirmed"));
    const { confirmed, pending } = await world.balance();
    expect(BigInt(confirmed.toFixed())).toBe(await world.token.balanceOf(wallet));
    expect(pending.toFixed()).toBe("0");
    expect((await checkLedger(db)).findings).toEqual([]);
  });
});

test("an asset that was removed again keeps what was pending when it came back, after a rewind below that", async () => {
  const world = await returning();
  const { db, chainName, anvil, before, catchUp } = world;
  await anvil.mine(8);
  await catchUp();
  const native = { code: "ETH", address: "native", decimals: 18, kind: "exact" } as const;
  await configureChains(db, [{ name: chainName, chainId: 31_337, assets: [native] }], "removed");
  const [rows, held] = [await world.rows(), await world.balance()];
  await rewindChain(db, { chainName, toNumber: before });
  await catchUp();
  expect(await world.rows()).toEqual(rows);
  expect(await world.balance()).toEqual(held);
  // What was a deposit when its block was read first is no sighting now.
  const sighted = (await db.sighting.findMany()).map(({ amount }) => amount.toFixed());
  expect(sighted).toEqual(["11"]);
  expect((await checkLedger(db)).findings).toEqual([]);
});

test("an asset that was removed since keeps its opening and its history after a rewind below both, and is opened anew when it comes back", async () => {
  const anvil = await startAnvil({});
  onTestFinished(anvil.stop);
  const token = await deployToken(anvil);
  await token.mint(payer, 1_000n);
  const watched = await watchChain({ rpcUrl: anvil.rpcUrl, depth: 2, tokens: [token.asset] });
  onTestFinished(watched.stop);
  await watched.catchUp();
  const { db, chainName, chain, rounds, ledger, oldBlocks, businessId } = watched;
  const before = BigInt(await anvil.blockNumber());
  await token.transfer(payer, wallet, 9n);
  await watched.catchUp();
  const walletId = await watched.addWallet(wallet, "deposit", businessId, before + 1n);
  await token.transfer(payer, wallet, 5n);
  await anvil.mine(2);
  await watched.catchUp();
  const held = async () => {
    const balance = await db.balance.findFirstOrThrow({
      where: { walletId, asset: { code: "TST" } },
    });
    return [balance.opening?.toFixed(), balance.confirmed.toFixed()];
  };
  const fill = async () => {
    const ports = { chain, rounds: rounds.histories, ledger, oldBlocks, log: quiet };
    while ((await fillHistory(ports, chainName)).kind !== "idle");
  };
  const paid = async () =>
    (await watched.history(walletId)).map(({ amountAtomic, status }) => [amountAtomic, status]);
  const both = [
    [9n, "completed"],
    [5n, "completed"],
  ];
  await fill();
  expect(await held()).toEqual(["9", "14"]);
  expect(await paid()).toEqual(both);
  const native = { code: "ETH", address: "native", decimals: 18, kind: "exact" } as const;
  const own = { ...token.asset, address: parseAddress(token.address), kind: "exact" } as const;
  const configure = (assets: (typeof native | typeof own)[]) =>
    configureChains(db, [{ name: chainName, chainId: 31_337, assets }], "removed");
  await configure([native]);
  await rewindChain(db, { chainName, toNumber: before });
  await watched.catchUp();
  await fill();
  expect(await held()).toEqual(["9", "14"]);
  expect(await paid()).toEqual(both);
  expect((await checkLedger(db)).findings).toEqual([]);
  await token.transfer(payer, wallet, 3n);
  await configure([native, own]);
  await anvil.mine(3);
  await watched.catchUp();
  await fill();
  expect(await held()).toEqual(["14", "17"]);
  expect(await paid()).toEqual([...both, [3n, "completed"]]);
  expect(await db.history.findFirst()).toMatchObject({ verdict: "agrees" });
  expect((await checkLedger(db)).findings).toEqual([]);
});
