import { describe, expect, it } from "vitest";
import { ANVIL_ACCOUNTS } from "../../../support/chain/anvil.ts";
import { ether, wallet } from "../../../support/chain/cast.ts";
import { eachWatchedChain } from "../../../support/chain/each-chain.ts";
import { waitFor, waitForCount } from "../../../support/wait-for.ts";

const [payer, sender] = ANVIL_ACCOUNTS;

describe("a watched chain", () => {
  const { anvil, watched } = eachWatchedChain({ blocks: 3, depth: 1 });

  const rows = () => watched.db.transaction.findMany({ orderBy: { id: "asc" } });
  const ledgerBalance = async (walletId: string) => {
    const balance = await watched.db.balance.findFirstOrThrow({
      where: { walletId, asset: { code: "ETH" } },
    });
    const entries = await watched.db.ledgerEntry.aggregate({
      where: { walletId },
      _sum: { amount: true },
    });
    expect(entries._sum.amount?.toFixed() ?? "0", "the sum of the entries").toBe(
      balance.confirmed.toFixed(),
    );
    return { confirmed: BigInt(balance.confirmed.toFixed()), isOpened: balance.opening !== null };
  };

  it("takes what a wallet held before as its opening balance, and only later movements as transactions", async () => {
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n * ether });
    const walletId = await watched.addWallet(wallet);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
    await watched.catchUp();
    // The watcher had not processed the first transfer yet when the wallet was added: it is the
    // first block after.
    expect((await rows()).map((row) => row.amount.toFixed())).toEqual([
      `${5n * ether}`,
      `${ether}`,
    ]);
    expect(await ledgerBalance(walletId)).toEqual({ confirmed: 6n * ether, isOpened: true });

    const other = "0x00000000000000000000000000000000000b0bb0";
    await anvil.sendNative({ from: payer, to: other, amountAtomic: 7n * ether });
    await watched.catchUp();
    const otherId = await watched.addWallet(other);
    await watched.catchUp();
    expect(await rows()).toHaveLength(2);
    expect(await ledgerBalance(otherId)).toEqual({ confirmed: 7n * ether, isOpened: true });
  });

  it("counts a withdrawal and its gas, also the gas of a send that failed, to the wei", async () => {
    const walletId = await watched.addWallet(sender);
    await anvil.sendNative({ from: sender, to: wallet, amountAtomic: ether });
    const failing = await anvil.send({ from: payer, data: "0x60006000fd" });
    const reverter = await anvil.receipt(failing);
    expect(reverter.status).toBe("0x0");
    // A deployment that reverts: the value stays, the gas is paid.
    await anvil.send({ from: sender, data: "0x60006000fd", value: "0x1", gas: "0x30d40" });
    await watched.catchUp();
    const types = (await rows()).map((row) => row.type);
    expect(types).toEqual(["withdrawal", "fee", "fee"]);
    const chainBalance = await anvil.balance(sender);
    expect(await ledgerBalance(walletId)).toEqual({ confirmed: chainBalance, isOpened: true });
  });

  it("leaves the balance of a transfer to oneself alone but for its gas, and shows both sides", async () => {
    const walletId = await watched.addWallet(sender);
    await anvil.sendNative({ from: sender, to: sender, amountAtomic: ether });
    await watched.catchUp();
    expect((await rows()).map((row) => row.type)).toEqual(["withdrawal", "deposit", "fee"]);
    expect(await ledgerBalance(walletId)).toEqual({
      confirmed: await anvil.balance(sender),
      isOpened: true,
    });
  });

  it("sees every transfer to a wallet that is added while blocks are mined as fast as they can be", async () => {
    let isDone = false;
    const sent: number[] = [];
    const mining = (async () => {
      for (let count = 0; count < 120; count += 1) {
        const hash = await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 1n });
        sent.push(Number((await anvil.receipt(hash)).blockNumber));
      }
      isDone = true;
    })();
    const watching = (async () => {
      while (!isDone) await watched.catchUp();
      await watched.catchUp();
    })();
    const walletId = await (async () => {
      await waitForCount(() => sent.length, 40, { what: "mined transfers", timeoutMs: 20_000 });
      return watched.addWallet(wallet);
    })();
    await Promise.all([mining, watching]);

    const change = await watched.db.watchChange.findFirstOrThrow({
      where: { addedWallets: { some: { id: walletId } } },
    });
    const since = Number(change.positionNumber);
    const expected = sent.filter((number) => number > since);
    expect((await rows()).map((row) => Number(row.blockNumber))).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
    expect(await ledgerBalance(walletId)).toEqual({ confirmed: 120n, isOpened: true });
  });

  it("makes no balances of an added asset beside the commit of a block, and goes on between", async () => {
    await watched.catchUp();
    const { ledger, chainName } = watched;
    const begun = { beside: 0, between: 0 };
    let isCommitting = false;
    const asset = { id: 1, code: "TST", chainName, changeId: "", after: "" };
    const watcher = watched.newWatcher(async () => true, {
      async commitBlocks(commit) {
        isCommitting = true;
        // As long as a slow commit takes.
        for (let reads = 0; reads < 50; reads += 1) await ledger.readPosition(chainName);
        const outcome = await ledger.commitBlocks(commit);
        isCommitting = false;
        return outcome;
      },
      readNextBalances: async () => ({ asset, due: [], after: null }),
      async makeBalances() {
        begun[isCommitting ? "beside" : "between"] += 1;
        return { assetCode: "TST", wallets: 1_000_000, opened: 1 };
      },
    });
    await watcher.start();
    try {
      for (let blocks = 0; blocks < 5; blocks += 1) {
        await anvil.mine(1);
        const number = BigInt(await anvil.blockNumber());
        const isThere = async () => (await ledger.readPosition(chainName))?.number === number;
        await waitFor(isThere, { what: `block ${number}`, timeoutMs: 20_000 });
        const { between } = begun;
        await waitFor(() => begun.between > between, { what: "balances", timeoutMs: 20_000 });
      }
    } finally {
      // Before its database is closed.
      await watcher.stop();
    }
    expect(begun.beside).toBe(0);
  });

  it("lets only one of several watchers commit a block", async () => {
    await watched.addWallet(wallet);
    for (let count = 0; count < 20; count += 1) {
      await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 1n });
    }
    const steps = [watched.newStep(), watched.newStep(), watched.newStep()];
    await Promise.all(
      steps.map(async (step) => {
        while ((await step.run()) === "again");
      }),
    );
    expect(await rows()).toHaveLength(20);
    const notifications = await watched.db.notification.count();
    expect(notifications).toBe(20);
  });

  it("reads the opening balance at a later block where the state of the right one is gone", async () => {
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 3n * ether });
    const step = watched.newStep();
    while ((await step.run()) === "again");
    const walletId = await watched.addWallet(wallet);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
    while ((await step.run()) === "again");
    await watched.db.block.deleteMany({ where: { number: { lt: 5n } } });
    await watched.catchUp();
    expect(await ledgerBalance(walletId)).toEqual({ confirmed: 4n * ether, isOpened: true });
    const balance = await watched.db.balance.findFirstOrThrow({ where: { walletId } });
    expect(balance.opening?.toFixed()).toBe(`${3n * ether}`);
  });
});
