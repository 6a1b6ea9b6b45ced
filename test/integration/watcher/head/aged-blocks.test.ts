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

async function watch(options: { ageMs?: number; farBlocks?: bigint; startBlock?: bigint }) {
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
