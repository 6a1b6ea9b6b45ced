import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Hash } from "../../../../src/domain/chain/block.ts";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "../../../support/chain/anvil.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { keepingLog } from "../../../support/fault-steps.ts";

const [payer, other] = ANVIL_ACCOUNTS;
const wallet = "0x00000000000000000000000000000000000a11ce";

let anvil: Anvil;
let watched: WatchedChain;
let kept: ReturnType<typeof keepingLog>;

beforeEach(async () => {
  anvil = await startAnvil({});
  kept = keepingLog();
});

afterEach(async () => {
  await watched.stop();
  await anvil.stop();
});

async function watch(depth: number, clock = stillClock): Promise<void> {
  watched = await watchChain({ rpcUrl: anvil.rpcUrl, depth, clock, log: kept.log });
  await watched.catchUp();
}

/** Blocks that are read while this clock shows the same time came at once. */
const stillClock = { now: () => 1_700_000_000_000, elapsed: () => 5_000, sleep: async () => {} };

/** How many blocks each commit has written since the chain was watched. */
const commits = (): number[] =>
  kept.lines
    .filter(({ message }) => message === "block.committed")
    .map(({ fields }) => Number(fields["blocks"]));

async function chainHash(number: bigint): Promise<Hash> {
  const at = `0x${number.toString(16)}`;
  return (await anvil.rpc<{ hash: Hash }>("eth_getBlockByNumber", at, false)).hash;
}

/** The ledger's position is the head, and every stored hash is the chain's. */
async function expectWholeWindow(blocks: number): Promise<void> {
  const window = await watched.ledger.readWindow(watched.chainName);
  expect(window.slice(0, blocks)).toHaveLength(blocks);
  for (const { number, hash } of window) expect(hash).toBe(await chainHash(number));
  const { position } = await watched.ledger.readChainState(watched.chainName);
  expect(position?.hash).toBe(window[0]?.hash);
  expect(position?.number).toBe(BigInt(await anvil.rpc<string>("eth_blockNumber")));
}

describe("blocks that come at once", () => {
  it("and hold nothing of ours share a commit, with every hash stored", async () => {
    await watch(3);
    await anvil.mine(40);
    await watched.catchUp();
    expect(commits().reduce((sum, blocks) => sum + blocks, 0)).toBe(40);
    expect(commits().length).toBeLessThan(5);
    await expectWholeWindow(40);
    const { confirmedNumber, position } = await watched.ledger.readChainState(watched.chainName);
    expect(confirmedNumber).toBe((position?.number ?? 0n) - 2n);
  });

  it("are written one by one where time passes between them", async () => {
    let elapsed = 5_000;
    await watch(3, { ...stillClock, elapsed: () => (elapsed += 1_000) });
    await anvil.mine(5);
    await watched.catchUp();
    expect(commits()).toEqual([1, 1, 1, 1, 1]);
  });

  it("are written with the block that pays us, which is pending and then confirmed as ever", async () => {
    await watch(3);
    const id = await watched.addWallet(wallet);
    await anvil.mine(6);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    await watched.catchUp();
    expect(commits().at(-1)).toBeGreaterThan(1);
    expect((await watched.history(id)).map(({ status }) => status)).toEqual(["pending"]);
    await anvil.mine(1);
    await watched.catchUp();
    expect((await watched.history(id)).map(({ status }) => status)).toEqual(["pending"]);
    await anvil.mine(1);
    await watched.catchUp();
    expect((await watched.history(id)).map(({ status }) => status)).toEqual(["completed"]);
    await expectWholeWindow(9);
  });

  it("do not keep a confirmation waiting: the block that confirms is written at once", async () => {
    await watch(3);
    const id = await watched.addWallet(wallet);
    await anvil.mine(1);
    await watched.catchUp();
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    await anvil.mine(20);
    await watched.catchUp();
    const confirming = kept.lines
      .filter(({ message, fields }) => message === "block.committed" && fields["confirmed"] === 1)
      .map(({ fields }) => fields["block"]);
    const [deposit] = await watched.db.transaction.findMany({ where: { walletId: id } });
    expect(confirming).toEqual([(deposit?.blockNumber ?? 0n) + 2n]);
  });

  it("and are held are read again by the process that takes over", async () => {
    await watch(3);
    await anvil.mine(10);
    const dies = watched.newStep();
    for (let steps = 0; steps < 5; steps += 1) expect(await dies.run()).toBe("again");
    const before = await watched.ledger.readChainState(watched.chainName);
    expect(before.position?.number).toBe(1n);
    await watched.catchUp();
    await expectWholeWindow(10);
    // What the other one held is not written on top of that.
    while ((await dies.run()) === "again");
    await expectWholeWindow(10);
  });

  it("and are held are forgotten where they leave the chain, and nothing has to be undone", async () => {
    await watch(3);
    const id = await watched.addWallet(wallet);
    await anvil.mine(10);
    const step = watched.newStep();
    for (let steps = 0; steps < 5; steps += 1) expect(await step.run()).toBe("again");
    await anvil.reorg(8, [{ transaction: { from: other, to: wallet, value: 7n }, offset: 0 }]);
    while ((await step.run()) === "again");
    await anvil.mine(5);
    while ((await step.run()) === "again");
    await expectWholeWindow(15);
    expect(await watched.history(id)).toMatchObject([{ amountAtomic: 7n, status: "completed" }]);
    expect(kept.lines.map(({ message }) => message)).not.toContain("reorg.undone");
  });

  it("and are held count for a wallet that is added before they are written", async () => {
    await watch(3);
    await anvil.mine(2);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    await anvil.mine(4);
    const step = watched.newStep();
    for (let steps = 0; steps < 4; steps += 1) expect(await step.run()).toBe("again");
    const id = await watched.addWallet(wallet);
    while ((await step.run()) === "again");
    await watched.balancesStep();
    expect(await watched.history(id)).toMatchObject([{ amountAtomic: 5n, status: "completed" }]);
  });
});
