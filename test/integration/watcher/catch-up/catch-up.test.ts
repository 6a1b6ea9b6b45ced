import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ReceiptsProof, TracingChoice } from "../../../../src/domain/chain/block-proof.ts";
import type { StepResult } from "../../../../src/runtime/loop.ts";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "../../../support/chain/anvil.ts";
import { makeBusyChain } from "../../../support/chain/busy-chain.ts";
import { startRpcProxy } from "../../../support/chain/rpc-proxy.ts";
import { deployToken, type TestToken } from "../../../support/chain/token.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { allTests } from "../../../support/each-test.ts";
import { fastClock, keepingLog, struggle } from "../../../support/fault-steps.ts";
import { comparableRows } from "../../../support/ledger/ledger-rows.ts";

const sender = ANVIL_ACCOUNTS[1];
const wallets = [
  "0x00000000000000000000000000000000000a11ce",
  "0x00000000000000000000000000000000000b0b00",
  "0x00000000000000000000000000000000000ca401",
];

type Scene = { anvil: Anvil; token: TestToken };

async function openScene(): Promise<Scene> {
  const anvil = await startAnvil({});
  return { anvil, token: await deployToken(anvil) };
}

const closeScene = ({ anvil }: Scene) => anvil.stop();

let closers: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  closers = [];
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Options = Partial<Parameters<typeof watchChain>[0]>;

async function watch({ anvil, token }: Scene, options: Options = {}): Promise<WatchedChain> {
  const watched = await watchChain({
    rpcUrl: anvil.rpcUrl,
    depth: 3,
    startBlock: 1n,
    tokens: [token.asset],
    ...options,
  });
  closers.push(watched.stop);
  return watched;
}

async function addAll(watched: WatchedChain): Promise<void> {
  for (const address of [...wallets, sender]) await watched.addWallet(address);
}

/** Whatever block by block writes: no stretch is far. */
const never = 1_000_000n;

/** A scene of its own whose chain has so many blocks, with transfers in every so many. */
async function busyScene(blocks: number, every = 15) {
  const scene = await openScene();
  const { rounds } = await makeBusyChain(scene.anvil, scene.token, {
    blocks,
    every,
    wallets,
    sender,
  });
  return { ...scene, rounds };
}

const messagesOf = ({ lines }: ReturnType<typeof keepingLog>) => lines.map((line) => line.message);

/**
 * What a watcher that goes block by block has made of the same chain, with the same wallets from
 * its start.
 */
async function rowsByBlock(scene: Scene, how: Options = {}) {
  const watched = await watch(scene, { ...how, farBlocks: never });
  await addAll(watched);
  await watched.catchUp();
  return comparableRows(watched);
}

function withoutProofs(rows: Awaited<ReturnType<typeof comparableRows>>) {
  return {
    ...rows,
    transactions: rows.transactions.map(({ proof: _, ...row }) => row),
    notifications: rows.notifications.map(({ body, ...row }) => {
      const { ["proof"]: _, ...data } = body.data;
      return { ...row, body: { ...body, data } };
    }),
  };
}

describe("a chain that is far behind its head", () => {
  const ways: [string, { tracing: TracingChoice; receipts: ReceiptsProof }][] = [
    ["with traces", { tracing: "auto", receipts: "root" }],
    ["without traces", { tracing: "off", receipts: "root" }],
    ["with blooms alone", { tracing: "off", receipts: "bloom" }],
    ["without any proof", { tracing: "off", receipts: "none" }],
  ];

  // No test changes this chain, and going through it block by block takes longer than each of them.
  const scene = allTests(async () => {
    const busy = await busyScene(300, 10);
    const single = await rowsByBlock(busy);
    return { ...busy, single };
  }, closeScene);

  it("is caught up to the same rows as block by block, however it is proved", async () => {
    const { single } = scene;
    expect(single.transactions.length).toBeGreaterThan(80);
    expect(single.notifications.length).toBeGreaterThan(40);
    for (const [way, how] of ways) {
      const kept = keepingLog();
      const watched = await watch(scene, { ...how, log: kept.log, farBlocks: 64n });
      await addAll(watched);
      await watched.catchUp();
      const rows = await comparableRows(watched);
      // What shows a transaction is just what differs.
      expect(withoutProofs(rows), way).toEqual(withoutProofs(single));
      if (how.receipts === "root") expect(rows, way).toEqual(single);
      expect(messagesOf(kept), way).toContain("catch_up.finished");
      const alone = messagesOf(kept).filter((message) => message === "block.committed");
      expect(alone.length, way).toBeLessThan(64);
    }
  });

  it("asks for receipts of blocks that hold something watched, and of both ends of each range", async () => {
    const own = await busyScene(300);
    const { anvil, token } = own;
    closers.push(anvil.stop);
    const proxy = await startRpcProxy(anvil.rpcUrl);
    closers.push(proxy.stop);
    const other = "0x00000000000000000000000000000000000abcde";
    await token.mint(other, 5n);
    await anvil.sendNative({ from: sender, to: other, amountAtomic: 7n });
    await anvil.mine(70);
    const watched = await watch(own, {
      rpcUrl: proxy.url,
      tracing: "off",
      receipts: "none",
      farBlocks: 64n,
    });
    await watched.addWallet(other);
    await watched.catchUp();
    const asked = (method: string) => proxy.calls.filter((call) => call === method).length;
    expect(asked("eth_getBlockReceipts")).toBe(2 + 2 * asked("eth_getLogs"));
    expect(asked("eth_getLogs")).toBeLessThan(10);
    const id = (await watched.db.wallet.findFirstOrThrow()).id;
    expect(await watched.balances(id)).toEqual({ ETH: 7n, TST: 5n });
  });

  it("continues where it was interrupted, at any moment", async () => {
    const { single } = scene;
    const watched = await watch(scene, { farBlocks: 64n });
    await addAll(watched);
    let commits = 0;
    for (let result: StepResult = "again"; result === "again"; commits += 1) {
      // Each step is the first one of a process that knows nothing.
      result = await watched.newStep().run();
    }
    await watched.catchUp();
    expect(commits).toBeGreaterThan(4);
    expect(await comparableRows(watched)).toEqual(single);
  });

  it("is moved by one of several watchers at each commit, and nothing is written twice", async () => {
    const { single } = scene;
    const watched = await watch(scene, { farBlocks: 64n });
    await addAll(watched);
    const steps = [watched.newStep(), watched.newStep(), watched.newStep()];
    await Promise.all(
      steps.map(async (step) => {
        while ((await step.run()) === "again");
      }),
    );
    await watched.catchUp();
    expect(await comparableRows(watched)).toEqual(single);
  });

  it.each(ways)("(%s) loses nothing of a wallet that is added meanwhile", async (_, how) => {
    const { anvil, token, rounds } = scene;
    const kept = keepingLog();
    const watched = await watch(scene, { ...how, log: kept.log, farBlocks: 64n });
    for (const address of wallets.slice(1)) await watched.addWallet(address);
    const [late = ""] = wallets;
    const step = watched.newStep();
    for (let runs = 0; runs < 2; runs += 1) await step.run();
    // The next stretch has been read ahead by now, for a list without it.
    const id = await watched.addWallet(late);
    const change = await watched.db.watchChange.findFirstOrThrow({
      where: { addedWallets: { some: { id } } },
    });
    expect(change.positionNumber).toBeLessThan(200n);
    while ((await step.run()) === "again");
    await watched.catchUp();
    expect(await watched.balances(id)).toEqual({
      ETH: await anvil.balance(late),
      TST: await token.balanceOf(late),
    });
    const heights = (await watched.db.transaction.findMany({ where: { walletId: id } })).map(
      ({ blockNumber }) => blockNumber,
    );
    expect(heights.every((height) => height > (change.positionNumber ?? 0n))).toBe(true);
    expect(heights.length).toBeGreaterThan(rounds / 5);
  });

  it("keeps the window of hashes that a reorg right afterwards needs", async () => {
    const own = await busyScene(560);
    const { anvil } = own;
    closers.push(anvil.stop);
    const watched = await watch(own, { depth: 8, farBlocks: 64n });
    await addAll(watched);
    await watched.catchUp();
    const blocks = await watched.db.block.findMany({ orderBy: { number: "desc" } });
    // 512 below the position, and all of the last half an hour.
    expect(blocks.length).toBeGreaterThan(512);
    for (const [index, block] of blocks.slice(0, -1).entries()) {
      expect(block.parentHash).toBe(blocks[index + 1]?.hash);
    }
    await anvil.reorg(5);
    await anvil.mine(2);
    await watched.catchUp();
    const position = await watched.ledger.readPosition(watched.chainName);
    const head = await anvil.block("latest");
    expect(position).toEqual({ number: BigInt(head.number), hash: head.hash });
  });

  it("says how far it is, at what rate, and how long it will take", async () => {
    const own = await openScene();
    closers.push(own.anvil.stop);
    await own.anvil.mine(1_500);
    const kept = keepingLog();
    // A clock on which each commit takes seconds.
    const watched = await watch(own, { log: kept.log, clock: fastClock(2_000), farBlocks: 64n });
    await watched.catchUp();
    const progress = kept.lines.find((line) => line.message === "catch_up.progress");
    expect(progress?.fields).toMatchObject({
      chain: "anvil",
      target: expect.any(BigInt),
      position: expect.any(BigInt),

      blocksPerSecond: expect.any(Number),
      leftSeconds: expect.any(Number),
    });
  });
});

describe("a block of a range that was tampered with", () => {
  type Answered = Record<string, unknown>;
  const scene = allTests(() => busyScene(150), closeScene);
  /** Its rows as block by block makes them, by the way of proof. No test changes this chain. */
  const singles = new Map<string, ReturnType<typeof rowsByBlock>>();

  function singleRows(how: Options) {
    const key = JSON.stringify(how);
    const known = singles.get(key) ?? rowsByBlock(scene, how);
    singles.set(key, known);
    return known;
  }

  /** One in the middle, with transfers of coin and token to a watched wallet. */
  async function blockWithTransfers() {
    for (let at = 100; ; at += 1) {
      const block = await scene.anvil.block(at);
      if (block.transactions.length > 2) return block;
    }
  }

  /**
   * Catches up through an endpoint that changes what it says of one block, and answers what was
   * refused.
   */
  async function refusedPart(
    how: Options,
    change: (method: string, answered: Answered[]) => unknown,
  ) {
    const target = await blockWithTransfers();
    const at = BigInt(target.number);
    const proxy = await startRpcProxy(scene.anvil.rpcUrl);
    closers.push(proxy.stop);
    proxy.misbehave(async ({ method, params }, forward) => {
      const isIt = params[0] === target.number || params[0] === target.hash;
      if (!isIt) return null;
      const answered = (await forward()) as Answered | Answered[];
      const result = change(method, Array.isArray(answered) ? answered : [answered]);
      return result === undefined ? null : { result };
    });
    const kept = keepingLog();
    const watched = await watch(scene, {
      ...how,
      rpcUrl: proxy.url,
      log: kept.log,
      farBlocks: 64n,
    });
    await addAll(watched);
    await struggle(watched, 3);
    const position = await watched.ledger.readPosition(watched.chainName);
    expect(position?.number).toBeLessThan(at);
    const above = { blockNumber: { gte: at } };
    expect(await watched.db.transaction.count({ where: above })).toBe(0);
    proxy.misbehave(null);
    await struggle(watched, 2);
    expect(await comparableRows(watched)).toEqual(await singleRows(how));
    const refused = kept.lines.find((line) => line.message === "endpoint.refused");
    expect(refused?.fields["blockNumber"] ?? at.toString()).toBe(at.toString());
    return String(refused?.fields["part"] ?? refused?.fields["reason"]);
  }

  it("by a bloom that hides a transfer is refused and named", async () => {
    const emptied = `0x${"01".repeat(256)}`;
    const part = await refusedPart({ tracing: "off" }, (method, [block]) =>
      method === "eth_getBlockByNumber" ? { ...block, logsBloom: emptied } : undefined,
    );
    expect(part).toContain("its header does not have that hash");
  });

  it("by a transaction that is left out is refused and named", async () => {
    const part = await refusedPart({ tracing: "off" }, (method, [block]) =>
      method === "eth_getBlockByNumber" ? { ...block, transactions: [] } : undefined,
    );
    expect(part).toMatch(/transactionsRoot|bloom promises/);
  });

  it("by a forged Transfer log is refused and named", async () => {
    const forged = scene.token.address.toLowerCase();
    const part = await refusedPart({}, (method, receipts) => {
      if (method !== "eth_getBlockReceipts") return undefined;
      const topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
      const word = (hex: string) => `0x${hex.slice(2).toLowerCase().padStart(64, "0")}`;
      return receipts.map((receipt, index) => {
        if (index > 0) return receipt;
        const { blockHash, transactionHash, blockNumber } = receipt;
        const log = {
          blockHash,
          transactionHash,
          blockNumber,
          transactionIndex: "0x0",
          removed: false,

          address: forged,
          logIndex: "0x0",
          data: word("0x64"),
          topics: [topic, word("0xdead"), word(wallets[0] ?? "")],
        };
        return { ...receipt, logs: [log] };
      });
    });
    expect(part).toMatch(/log 0 of contract|receiptsRoot/);
  });

  it("by another parent is refused", async () => {
    const part = await refusedPart({ receipts: "none", tracing: "off" }, (method, [block]) =>
      method === "eth_getBlockByNumber" ? { ...block, parentHash: block?.["hash"] } : undefined,
    );
    expect(part).toMatch(/of two branches/);
  });
});
