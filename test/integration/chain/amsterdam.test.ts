import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Address } from "../../../src/domain/chain/address.ts";
import {
  type AmsterdamChain,
  createAmsterdamChain,
  feePaid,
  miner,
  payer,
} from "../../support/chain/amsterdam/amsterdam-chain.ts";
import { serveChain } from "../../support/chain/amsterdam/serve-chain.ts";
import { readRecordingNamed } from "../../support/chain/recordings.ts";
import { type Misbehave, type RpcProxy, startRpcProxy } from "../../support/chain/rpc-proxy.ts";
import { serveAnswers } from "../../support/chain/serve-answers.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";
import { keepingLog } from "../../support/fault-steps.ts";

// Blocks of Amsterdam, sealed with other libraries than ours, and read by the watcher itself.

const sepolia = 11_155_111;
const wallet: Address = `0x${"a1".repeat(20)}`;
const shop = `0x${"50".repeat(20)}`;

/** The payer pays a contract, which pays the wallet. */
const throughShop = (amount: bigint) => ({
  to: shop,
  amount,
  inner: [{ from: shop, to: wallet, amount }],
});

type Json = Record<string, unknown>;
type Options = Partial<Parameters<typeof watchChain>[0]> & { hosts?: 2 };

let ends: (() => Promise<unknown>)[];
let chain: AmsterdamChain;
let proxies: [RpcProxy, RpcProxy];
let kept: ReturnType<typeof keepingLog>;

beforeEach(() => {
  ends = [];
  kept = keepingLog();
});

afterEach(async () => {
  for (const end of ends.toReversed()) await end();
});

/** The chain with its fork, watched from its third block on. */
async function watch(forkAt: number, { hosts, ...options }: Options = {}) {
  chain = await createAmsterdamChain({ chainId: sepolia, forkAt });
  const node = await serveChain(chain);
  proxies = [await startRpcProxy(node.url), await startRpcProxy(node.url)];
  ends.push(node.stop, ...proxies.map((proxy) => proxy.stop));
  await chain.mine();
  await chain.mine();
  const [rpcUrl, second] = [proxies[0].url, proxies[1].url.replace("127.0.0.1", "localhost")];
  const rpcUrls = hosts === 2 ? [rpcUrl, second] : [rpcUrl];
  const watched = await watchChain({
    rpcUrl,
    rpcUrls,
    depth: 1,
    chainId: sepolia,
    log: kept.log,
    ...options,
  });
  ends.push(watched.stop);
  await watched.catchUp();
  return watched;
}

/** Mines the blocks one by one, and answers what was asked for each of them. */
async function mineEach(watched: WatchedChain, blocks: Parameters<AmsterdamChain["mine"]>[]) {
  const asked: string[][] = [];
  for (const block of blocks) {
    proxies[0].calls.length = 0;
    await chain.mine(...block);
    await watched.catchUp();
    asked.push([...proxies[0].calls]);
  }
  return asked;
}

const recorded = async (watched: WatchedChain) =>
  (await watched.db.transaction.findMany({ orderBy: { id: "asc" } })).map((row) => [
    ...[row.type, row.amount.toFixed(), row.status, row.proof, row.tracePath],
  ]);

const traces = "debug_traceBlockByHash";
const lists = "eth_getBlockAccessList";

describe("the coin on a chain that runs Amsterdam", () => {
  it("is read from traces before the fork and from logs, which the block's hash covers, after it", async () => {
    const watched = await watch(5);
    await watched.addWallet(wallet);
    const asked = await mineEach(watched, [[], [[throughShop(5n)]], [[throughShop(7n)]]]);
    expect(await recorded(watched)).toEqual([
      ["deposit", "5", "completed", "answered", "0"],
      ["deposit", "7", "completed", "root", null],
    ]);
    expect(asked[1]).toContain(traces);
    expect(asked[2]).not.toContain(traces);
    expect(asked.map((calls) => calls.includes(lists))).toEqual([false, false, true]);
    expect(watched.chain.status().tracing).toBe("off");
  });

  it("is read from logs by ranges too, and traces are asked for the blocks before the fork alone", async () => {
    const watched = await watch(5, { farBlocks: 0n });
    await watched.addWallet(wallet);
    for (const amount of [1n, 2n, 3n, 4n]) await chain.mine([throughShop(amount)]);
    proxies[0].calls.length = 0;
    await watched.catchUp();
    expect((await recorded(watched)).map(([, amount, , proof]) => [amount, proof])).toEqual([
      ...["1", "2"].map((amount) => [amount, "answered"]),
      ...["3", "4"].map((amount) => [amount, "root"]),
    ]);
    expect(proxies[0].calls.filter((method) => method === traces)).toHaveLength(2);
  });

  it("has its traces read where the operator asks for them by name, and counts once", async () => {
    const watched = await watch(0, { tracing: "debug" });
    await watched.addWallet(wallet);
    const [, asked] = await mineEach(watched, [[], [[throughShop(7n)]]]);
    expect(asked).toContain(traces);
    expect(await recorded(watched)).toEqual([["deposit", "7", "completed", "root", null]]);
  });

  it("is not believed to stand still where a value has no log: the block is refused", async () => {
    const watched = await watch(0);
    await watched.addWallet(wallet);
    await chain.mine();
    await watched.catchUp();
    chain.stopLogging();
    await chain.mine([{ to: wallet, amount: 5n }]);
    await expect(watched.catchUp()).rejects.toMatchObject({
      code: "rpc_inconsistent",
      message: expect.stringContaining("moves coin without a log of it"),
    });
  });
});

describe("the access list of a block", () => {
  it("shows what a wallet has after each transaction: a sender's fees, and several in one block", async () => {
    const watched = await watch(0);
    for (const one of [wallet, payer, miner]) await watched.addWallet(one);
    const [, asked = []] = await mineEach(watched, [
      [],
      [[throughShop(5n), { to: wallet, amount: 2n }, { to: shop, amount: 1n }]],
    ]);
    expect(await watched.db.transaction.count({ where: { unproven: true } })).toBe(0);
    const sums = await watched.db.transaction.groupBy({ by: ["type"], _sum: { amount: true } });
    expect(
      Object.fromEntries(sums.map(({ type, _sum }) => [type, _sum.amount?.toFixed()])),
    ).toEqual({
      deposit: "7",
      withdrawal: "8",
      fee: (3n * feePaid).toString(),
      income: (3n * 21_000n * 3n).toString(),
    });
    expect(asked.filter((method) => method === lists)).toHaveLength(1);
  });

  it("finds what evens out within a block: those transactions wait, and are reported", async () => {
    const watched = await watch(0, { tracing: "off" });
    await watched.addWallet(wallet);
    const there = { from: shop, to: wallet, amount: 3n };
    const back = { from: wallet, to: shop, amount: 3n };
    await mineEach(watched, [
      [],
      [[{ to: shop, amount: 10n }]],
      [
        [
          { to: wallet, amount: 5n, hidden: [there] },
          { to: wallet, amount: 7n, hidden: [back] },
        ],
      ],
    ]);
    expect((await recorded(watched)).map(([, amount, status]) => [amount, status])).toEqual([
      ["5", "pending"],
      ["7", "pending"],
    ]);
    const lines = kept.lines.filter(({ message }) => message === "balance.unproven");
    expect(lines[0]?.fields).toMatchObject({ moved: "5", before: "0", after: "8" });
  });

  const changed = (change: (list: Json[]) => unknown): Misbehave => {
    return async ({ method }, forward) =>
      method === lists ? { result: change(structuredClone(await forward()) as Json[]) } : null;
  };
  const changesOf = (list: Json[]) =>
    list.find(({ address }) => address === wallet)?.["balanceChanges"] as Json[];
  const lies: Record<string, Misbehave> = {
    "a changed balance": changed((list) => {
      Object.assign(changesOf(list)[0] ?? {}, { value: "0x63" });
      return list;
    }),
    "a change left out": changed((list) => {
      changesOf(list).pop();
      return list;
    }),
    "an account left out": changed((list) => list.filter(({ address }) => address !== wallet)),
    "an account made up": changed((list) => [
      { ...list[0], address: `0x${"00".repeat(20)}` },
      ...list,
    ]),
    "no list": changed(() => null),
    "a list that is none": changed(() => [{ address: wallet }]),
    "a refusal": ({ method }) =>
      method === lists ? { error: { code: -32_601, message: "the method does not exist" } } : null,
    "what is gone": ({ method }) =>
      method === lists ? { error: { code: 4444, message: "pruned history unavailable" } } : null,
  };

  it.each(Object.entries(lies))("that is no true one (%s) is not needed", async (_, lie) => {
    const watched = await watch(0);
    await watched.addWallet(wallet);
    await mineEach(watched, [[]]);
    proxies[0].misbehave(lie);
    await mineEach(watched, [[[throughShop(7n)]]]);
    expect(await recorded(watched)).toEqual([["deposit", "7", "completed", "root", null]]);
    expect(kept.lines.filter(({ message }) => message === "balance.unproven")).toEqual([]);
  });

  it("is taken from another endpoint where one lies about it, and the liar is named", async () => {
    const watched = await watch(0, { hosts: 2 });
    await watched.addWallet(wallet);
    await mineEach(watched, [[]]);
    proxies[0].misbehave(lies["a changed balance"] ?? null);
    await mineEach(watched, [[[throughShop(7n)]]]);
    expect((await recorded(watched)).map(([, amount, status]) => [amount, status])).toEqual([
      ["7", "completed"],
    ]);
    const refused = kept.lines.filter(({ message }) => message === "endpoint.refused");
    expect(refused.map(({ fields }) => fields["reason"])).toEqual([
      expect.stringContaining("does not have the hash in its header"),
    ]);
  });

  it("that a header names falsely makes another header: the block is refused", async () => {
    const watched = await watch(0);
    await watched.addWallet(wallet);
    await mineEach(watched, [[]]);
    proxies[0].misbehave(async ({ method }, forward) => {
      if (method !== "eth_getBlockByNumber") return null;
      const block = (await forward()) as Json | null;
      return { result: block && { ...block, blockAccessListHash: `0x${"ab".repeat(32)}` } };
    });
    await chain.mine([throughShop(7n)]);
    await expect(watched.catchUp()).rejects.toMatchObject({ code: "rpc_inconsistent" });
    expect(await recorded(watched)).toEqual([]);
  });
});

describe("Sepolia's first block of Amsterdam, as it was recorded", () => {
  const header = () => readRecordingNamed("11155111-11856337").block as Json;

  /** A node that has that header alone, as it is or changed. */
  async function nodeOf(changed: Json) {
    const answers: Json = { eth_chainId: `0x${sepolia.toString(16)}`, eth_getBlockByHash: changed };
    const node = await serveAnswers(async (method) => answers[method]);
    const watched = await watchChain({
      rpcUrl: node.url,
      depth: 1,
      chainId: sepolia,
      tracing: "off",
      log: kept.log,
    });
    ends.push(node.stop, watched.stop);
    return watched.chain;
  }

  it("shows by its hash that it has an access list, so that nothing needs to be traced", async () => {
    const chain = await nodeOf(header());
    const { hash } = header() as { hash: `0x${string}` };
    expect(await chain.showsInternalMoves(hash)).toBe(true);
    expect(await chain.seesEveryMove(hash)).toBe(true);
    // The list itself was not recorded: its balances would be asked for.
    expect(await chain.coinSteps(hash, [wallet])).toBeNull();
  });

  it("shows nothing once the hash of the list, or the slot, is another", async () => {
    const { hash } = header() as { hash: `0x${string}` };
    for (const changed of [
      { blockAccessListHash: `0x${"ab".repeat(32)}` },
      { slotNumber: "0x1" },
    ]) {
      const chain = await nodeOf({ ...header(), ...changed });
      expect(await chain.showsInternalMoves(hash)).toBe(false);
    }
  });
});

describe("economical reading of such a chain", () => {
  it("gives nothing up: what contracts pay shows, and is held against the balances", async () => {
    const watched = await watch(0, { reading: "economical" });
    await watched.addWallet(wallet);
    const [, asked] = await mineEach(watched, [[], [[throughShop(7n)]]]);
    expect(await recorded(watched)).toEqual([["deposit", "7", "completed", "root", null]]);
    expect(asked).toContain(lists);
    expect(asked).not.toContain(traces);
    expect(watched.chain.status().givenUp).toEqual(["due"]);
  });
});
