import { beforeEach, describe, expect, it } from "vitest";
import { checkLedger } from "../../../../src/ledger/evidence/check-ledger.ts";
import { ANVIL_ACCOUNTS } from "../../../support/chain/anvil.ts";
import { ether, payer, wallet } from "../../../support/chain/cast.ts";
import { eachWatchedChain } from "../../../support/chain/each-chain.ts";

describe("a reorganised chain", () => {
  const { anvil, watched } = eachWatchedChain({ blocks: 3, depth: 3 });

  beforeEach(() => watched.addWallet(wallet));

  const deposit = () => anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
  const transactions = () =>
    watched.db.transaction.findMany({
      orderBy: { id: "asc" },
      select: { id: true, status: true, round: true, txHash: true },
    });
  const notified = async () =>
    (await watched.db.notification.findMany({ orderBy: { createdAt: "asc" } })).map(
      ({ state, round }) => `${state} ${round}`,
    );
  const confirmed = async () => {
    const balance = await watched.db.balance.findFirstOrThrow({ include: { asset: true } });
    return BigInt(balance.confirmed.toFixed());
  };

  it("drops a pending deposit that is not on the new branch, and notifies only who asked for it", async () => {
    await deposit();
    await watched.catchUp();
    expect(await transactions()).toMatchObject([{ status: "pending" }]);

    await anvil.reorg(1);
    await watched.catchUp();
    expect(await transactions()).toMatchObject([{ status: "dropped" }]);
    expect(await notified()).toEqual([]);
    const balance = await watched.db.balance.findFirstOrThrow();
    expect(balance.pending.toFixed()).toBe("0");
  });

  it("reverses a completed deposit, takes its balance back and notifies with the id that it reverses", async () => {
    await deposit();
    await anvil.mine(2);
    await watched.catchUp();
    expect(await transactions()).toMatchObject([{ status: "completed", round: 0 }]);
    expect(await confirmed()).toBe(ether);

    await anvil.reorg(3);
    await watched.catchUp();
    expect(await transactions()).toMatchObject([{ status: "reversed", round: 1 }]);
    expect(await notified()).toEqual(["confirmed 0", "reversed 0"]);
    expect(await confirmed()).toBe(0n);
    const [first, second] = await watched.db.notification.findMany({
      orderBy: { createdAt: "asc" },
    });
    expect(JSON.parse(second?.body ?? "").data.reversesNotificationId).toBe(first?.id);
  });

  it("undoes the fee of a withdrawal with it", async () => {
    const [, sender] = ANVIL_ACCOUNTS;
    const before = await anvil.balance(sender);
    const walletId = await watched.addWallet(sender);
    await anvil.mine(3);
    await watched.catchUp();
    await anvil.sendNative({ from: sender, to: payer, amountAtomic: ether });
    await anvil.mine(2);
    await watched.catchUp();
    expect((await watched.balances(walletId))["ETH"]).toBe(await anvil.balance(sender));

    await anvil.reorg(3);
    await watched.catchUp();
    expect((await watched.history(walletId)).map(({ type, status }) => [type, status])).toEqual([
      ["withdrawal", "reversed"],
      ["fee", "reversed"],
    ]);
    expect((await watched.balances(walletId))["ETH"]).toBe(before);
  });

  it("keeps the id and notifies nobody when the new branch has the transaction in another block", async () => {
    const hash = await deposit();
    await anvil.mine(2);
    await watched.catchUp();
    const before = await transactions();
    const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", hash);

    await anvil.rollback(3);
    await anvil.mine(1);
    await anvil.sendRaw(raw);
    await anvil.mine(3);
    await watched.catchUp();
    expect(await transactions()).toEqual(before);
    expect(await notified()).toEqual(["confirmed 0"]);
    expect(await confirmed()).toBe(ether);
    // No entry says that it is in another block now: it was sealed once more.
    expect((await checkLedger(watched.db)).findings).toEqual([]);
  });

  it("notifies again, under the same id, for a deposit that is included again after its reversal", async () => {
    const hash = await deposit();
    await anvil.mine(2);
    await watched.catchUp();
    const [before] = await transactions();
    const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", hash);
    await anvil.reorg(3);
    await watched.catchUp();

    await anvil.sendRaw(raw);
    await anvil.mine(2);
    await watched.catchUp();
    expect(await transactions()).toMatchObject([{ id: before?.id, status: "completed", round: 1 }]);
    expect(await notified()).toEqual(["confirmed 0", "reversed 0", "confirmed 1"]);
    expect(await confirmed()).toBe(ether);
  });

  it("waits while the new branch is the shorter one", async () => {
    await deposit();
    await anvil.mine(2);
    await watched.catchUp();
    await anvil.rollback(2);
    await anvil.rollback(1);
    await watched.catchUp();
    expect(await transactions()).toMatchObject([{ status: "completed" }]);

    await anvil.mine(2);
    await watched.catchUp();
    expect(await transactions()).toMatchObject([{ status: "completed" }]);
    await anvil.mine(1);
    await watched.catchUp();
    expect(await transactions()).toMatchObject([{ status: "reversed" }]);
  });

  it("goes on where a process ended in the middle of it", async () => {
    await deposit();
    await anvil.mine(2);
    await watched.catchUp();
    await anvil.reorg(3);
    const step = watched.newStep();
    await step.run();
    watched.restart();
    await watched.catchUp();
    expect(await transactions()).toMatchObject([{ status: "reversed" }]);
  });

  it("stops at a reorg below everything it remembers", async () => {
    await watched.db.block.deleteMany({ where: { number: { lt: 3n } } });
    await anvil.rollback(2);
    await anvil.mine(6);
    await expect(watched.catchUp()).rejects.toMatchObject({ code: "chain_stopped" });
  });
});
