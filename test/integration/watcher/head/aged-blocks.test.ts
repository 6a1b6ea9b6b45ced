import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Anvil, startAnvil } from "../../../support/chain/anvil.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";

const minuteMs = 60_000;

let anvil: Anvil;
let watched: WatchedChain;

beforeEach(async () => {
  anvil = await startAnvil({ args: ["--timestamp", "1700000000"] });
});

afterEach(async () => {
  await watched.stop();
  await anvil.stop();
});

async function watch(options: {
  ageMs?: number;
  depth?: number;
  farBlocks?: bigint;
  startBlock?: bigint;
}) {
  watched = await watchChain({ rpcUrl: anvil.rpcUrl, depth: 1, ...options });
  await watched.catchUp();
  return watched.addWallet(wallet);
}

/** A block so many seconds after the one before it. */
async function mineAfter(seconds: number): Promise<void> {
  const { timestamp } = await anvil.rpc<{ timestamp: string }>(
    "eth_getBlockByNumber",
    "latest",
    false,
  );
  await anvil.rpc("evm_setNextBlockTimestamp", Number(timestamp) + seconds);
  await anvil.mine(1);
}

const statuses = async (walletId: string) =>
  (await watched.history(walletId)).map(({ status }) => status);

describe("a chain that is confirmed after a minute", () => {
  it("confirms a deposit once the position's block is a minute younger, however few blocks that takes", async () => {
    const id = await watch({ ageMs: minuteMs });
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    for (let blocks = 0; blocks < 20; blocks += 1) await mineAfter(1);
    await watched.catchUp();
    expect(await statuses(id)).toEqual(["pending"]);
    await mineAfter(39);
    await watched.catchUp();
    expect(await statuses(id)).toEqual(["pending"]);
    await mineAfter(1);
    await watched.catchUp();
    expect(await statuses(id)).toEqual(["completed"]);
    expect((await watched.balances(id))["ETH"]).toBe(5n);
  });

  it("comes to the same, far behind, by ranges", async () => {
    const id = await watch({ ageMs: minuteMs, farBlocks: 8n });
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    for (let blocks = 0; blocks < 40; blocks += 1) await mineAfter(3);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 7n });
    await watched.catchUp();
    expect(await statuses(id)).toEqual(["completed", "pending"]);
    const head = BigInt(await anvil.blockNumber());
    const { confirmedNumber } = await watched.ledger.readChainState(watched.chainName);
    // The last block is at most a second after the one before it.
    expect([head - 21n, head - 20n]).toContain(confirmedNumber);
  });
});

it("of a chain with quick blocks the hashes of half an hour are remembered, and of a slow one 512", async () => {
  await watch({});
  const stored = async () => watched.db.block.count();
  await anvil.mine(700);
  await watched.catchUp();
  // A second each: fewer than half an hour, all from the first on.
  expect(await stored()).toBe(701);
  await mineAfter(3_600);
  await watched.catchUp();
  // The newest, and 512 before it.
  expect(await stored()).toBe(513);
});

describe("the last confirmed block of a quarter of an hour", () => {
  const kept = () =>
    watched.db.cutoff.findMany({ orderBy: [{ seal: "asc" }, { number: "asc" }, { hash: "asc" }] });
  const hashOf = async (number: bigint) => (await anvil.block(Number(number))).hash;

  // The chain begins at 22:13:20.
  it.each([
    { way: "block by block", farBlocks: undefined },
    { way: "by ranges", farBlocks: 4n },
  ])("is kept $way, with the seal of the commit that confirms the next", async ({ farBlocks }) => {
    await watch({ ...(farBlocks === undefined ? {} : { farBlocks }) });
    await mineAfter(60);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    for (const seconds of [60, 30, 600, 3_000]) await mineAfter(seconds);
    await watched.catchUp();
    const cutoffs = await kept();
    expect(cutoffs.map(({ number }) => number)).toEqual([2n, 5n]);
    for (const { number, hash } of cutoffs) expect(hash).toBe(await hashOf(number));
    expect(cutoffs.every(({ seal }) => seal > 0n)).toBe(true);
  });

  it("waits until the block after it is confirmed, though no block comes with it", async () => {
    await watch({ depth: 3 });
    for (const seconds of [60, 3_600, 1]) await mineAfter(seconds);
    await watched.catchUp();
    expect(await kept()).toEqual([]);
    await mineAfter(1);
    await watched.catchUp();
    expect(await kept()).toMatchObject([{ number: 1n, hash: await hashOf(1n), seal: 1n }]);
  });

  it("stays as it was where a reorg replaces it, and the block in its place stands beside it", async () => {
    await watch({});
    const before = await anvil.snapshot();
    for (const seconds of [60, 3_600]) await mineAfter(seconds);
    await watched.catchUp();
    const [first] = await kept();
    await anvil.revert(before);
    for (const seconds of [50, 3_600, 1, 1]) await mineAfter(seconds);
    await watched.catchUp();
    expect(await kept()).toMatchObject([first, { number: 1n, hash: await hashOf(1n) }]);
  });

  it("is that of the day after 400 days", async () => {
    await watch({});
    for (const seconds of [3_600, 7_200, 3_600]) await mineAfter(seconds);
    await watched.catchUp();
    expect(await kept()).toHaveLength(3);
    await mineAfter(401 * 86_400);
    await mineAfter(3_600);
    await watched.catchUp();
    expect((await kept()).map(({ number }) => number)).toEqual([1n, 3n, 4n]);
  });
});
