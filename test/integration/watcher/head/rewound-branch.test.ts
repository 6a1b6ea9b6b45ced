import { describe, expect, it, onTestFinished } from "vitest";
import { checkLedger } from "../../../../src/ledger/evidence/check-ledger.ts";
import { ANVIL_ACCOUNTS, startAnvil } from "../../../support/chain/anvil.ts";
import { ether, payer, wallet } from "../../../support/chain/cast.ts";
import { watchChain } from "../../../support/chain/watched-chain.ts";
import { archiveWallet, removeWallet, rewindChain } from "../../../support/ledger/steps.ts";

const [, , other] = ANVIL_ACCOUNTS;

/** A chain that is watched up to its head. */
async function watch(depth: number) {
  const anvil = await startAnvil({});
  onTestFinished(anvil.stop);
  await anvil.mine(3);
  const watched = await watchChain({ rpcUrl: anvil.rpcUrl, depth });
  onTestFinished(watched.stop);
  await watched.catchUp();
  const { db, chainName } = watched;
  const head = BigInt(await anvil.blockNumber());
  return {
    anvil,
    watched,
    head,
    pay: () => anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether }),
    rewind: (toNumber: bigint) => rewindChain(db, { chainName, toNumber }),
    /** Takes so many blocks off, and puts one there that was not there before. */
    async replace(depth: number) {
      await anvil.rollback(depth);
      await anvil.sendNative({ from: other, to: other, amountAtomic: 1n });
    },
    states: async () =>
      (await db.notification.findMany({ orderBy: { seq: "asc" } })).map(
        ({ state, round }) => `${state} ${round}`,
      ),
    statuses: async (id: string) => (await watched.history(id)).map(({ status }) => status),
    isWhole: async () => expect((await checkLedger(db)).findings).toEqual([]),
  };
}

describe("a wallet that was added on a branch that a rewind left", () => {
  it("is watched from the first other block on, below the height of its addition", async () => {
    const { anvil, watched, head, pay, rewind, replace, ...world } = await watch(1);
    await anvil.mine(20);
    await watched.catchUp();
    const walletId = await watched.addWallet(wallet);
    // The branch was an invention, and higher than the chain.
    await replace(20);
    await rewind(head);
    watched.restart();
    await pay();
    await watched.catchUp();
    expect(await world.statuses(walletId)).toEqual(["completed"]);
    expect(await world.states()).toEqual(["confirmed 0"]);
    await anvil.mine(20);
    await watched.catchUp();
    expect(await world.states()).toEqual(["confirmed 0"]);
    expect(await watched.balances(walletId)).toEqual({ ETH: ether });
    await world.isWhole();
  });

  it("has a payment that the other branch has below its addition, once", async () => {
    const { anvil, watched, head, pay, rewind, ...world } = await watch(1);
    await anvil.mine(4);
    await watched.catchUp();
    const walletId = await watched.addWallet(wallet);
    const hash = await pay();
    const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", hash);
    await watched.catchUp();
    await rewind(head);
    const step = watched.newStep();
    // Some of the blocks are there again when a reorg takes the others away.
    await step.run();
    await step.run();
    await anvil.rollback(2);
    await anvil.sendRaw(raw);
    await anvil.mine(3);
    await watched.catchUp();
    expect(await world.statuses(walletId)).toEqual(["completed"]);
    expect(await world.states()).toEqual(["confirmed 0"]);
    expect(await watched.balances(walletId)).toEqual({ ETH: ether });
    await world.isWhole();
  });

  it("has nothing of before its addition where the blocks are the same", async () => {
    const { anvil, watched, head, pay, rewind, ...world } = await watch(1);
    await pay();
    await anvil.mine(2);
    await watched.catchUp();
    const walletId = await watched.addWallet(wallet);
    await pay();
    await watched.catchUp();
    await rewind(head);
    await watched.catchUp();
    expect(await world.statuses(walletId)).toEqual(["completed"]);
    expect(await world.states()).toEqual(["confirmed 0"]);
    expect(await watched.balances(walletId)).toEqual({ ETH: 2n * ether });
    expect(await watched.db.rewoundBlock.count()).toBe(0);
    await world.isWhole();
  });
});

describe("an address that changed hands on a branch that a rewind left", () => {
  it.each([
    ["without a gap", removeWallet],
    ["with a gap", archiveWallet],
  ])("has a completed payment for one of the two: %s", async (_, end) => {
    const { anvil, watched, head, pay, rewind, replace, ...world } = await watch(1);
    const first = await watched.addWallet(wallet);
    await anvil.mine(2);
    const hash = await pay();
    const raw = await anvil.rpc<string>("eth_getRawTransactionByHash", hash);
    await watched.catchUp();
    await end(watched.db, first);
    await anvil.mine(2);
    await watched.catchUp();
    const second = await watched.addWallet(wallet, "deposit", await watched.addBusiness());
    await anvil.mine(4);
    await watched.catchUp();
    await replace(9);
    await anvil.mine(5);
    // Above the height of the second addition, and below the end of the branch that was left.
    await anvil.sendRaw(raw);
    await anvil.mine(3);
    await rewind(head);
    await watched.catchUp();
    expect(await world.statuses(first)).toEqual(["reversed"]);
    expect(await world.statuses(second)).toEqual(["completed"]);
    expect(await watched.balances(second)).toEqual({ ETH: ether });
    await world.isWhole();
  });
});
