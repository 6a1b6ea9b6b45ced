import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ReceiptsProof } from "../../../src/domain/chain/block-proof.ts";
import { type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { payer } from "../../support/chain/cast.ts";
import { type Contract, deploy } from "../../support/chain/money-contracts.ts";
import { type Misbehave, type RpcProxy, startRpcProxy } from "../../support/chain/rpc-proxy.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";
import { fastClock, struggle } from "../../support/fault-steps.ts";
import { createRandom } from "../../support/random.ts";

const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const newAddress = () => `0x${randomBytes(20).toString("hex")}`;
const word = (address: string) => `0x${address.slice(2).padStart(64, "0")}`;

type Receipt = { logs: object[]; transactionHash: string; blockHash: string };
type Block = { number: string; hash: string };

/** All tests go on with one chain, each with wallets of its own from its head on. */
let anvil: Anvil;
let token: Contract;
let vault: Contract;

let proxy: RpcProxy;
let watched: WatchedChain | null = null;

beforeAll(async () => {
  anvil = await startAnvil({});
  token = await deploy(anvil, "Token", { args: [6] });
  vault = await deploy(anvil, "Vault", {});
  await anvil.sendNative({ from: payer, to: vault.address, amountAtomic: 1_000_000n });
});

afterAll(() => anvil.stop());

beforeEach(async () => {
  proxy = await startRpcProxy(anvil.rpcUrl);
});

afterEach(async () => {
  await watched?.stop();
  watched = null;
  await proxy.stop();
});

async function watch(options: { receipts?: ReceiptsProof; timeoutMs?: number } = {}) {
  const tokens = [{ code: "TOK", address: token.address, decimals: 6 }];
  const clock = fastClock(50);
  watched = await watchChain({ rpcUrl: proxy.url, depth: 2, tokens, clock, ...options });
  await watched.catchUp();
  return watched;
}

/** A deposit of each kind: top level, internal, token. */
async function deposit(wallet: string, amount: bigint): Promise<void> {
  await anvil.sendNative({ from: payer, to: wallet, amountAtomic: amount });
  await vault.call(payer, "execute", [wallet, amount, "0x"]);
  await token.call(payer, "mint", [wallet, amount]);
}

describe("a node that fails in every way it can", () => {
  const seed = 7;
  const random = createRandom(seed);
  const sometimes = (misbehaviour: Awaited<ReturnType<Misbehave>>) =>
    random.isOneIn(4) ? misbehaviour : null;
  const ofReceipts =
    (change: (receipts: Receipt[]) => Receipt[]): Misbehave =>
    async ({ method }, forward) => {
      if (method !== "eth_getBlockReceipts") return null;
      return sometimes({ result: change((await forward()) as Receipt[]) });
    };

  const lateness = "answers too late";

  const faults: [string, Misbehave][] = [
    ["drops connections", () => sometimes("drop")],
    ["cuts answers short", () => sometimes("cut")],
    [lateness, () => (random.isOneIn(12) ? "hang" : null)],
    [
      "answers 429",
      () => sometimes({ status: 429, headers: random.isOneIn(2) ? { "retry-after": "0" } : {} }),
    ],
    ["answers 500 and 502", () => sometimes({ status: random.pick([500, 502]) })],
    [
      "refuses with errors of its own",
      () => sometimes({ error: { code: -32_000, message: "header not found" } }),
    ],
    ["answers null", () => sometimes({ result: null })],
    ["answers empty lists", () => sometimes({ result: [] })],
    ["answers of another type", () => sometimes({ result: "0x" })],
    ["leaves receipts out", ofReceipts((receipts) => receipts.slice(1))],
    [
      "answers receipts without logs",
      ofReceipts((all) => all.map((one) => ({ ...one, logs: [] }))),
    ],
    [
      "adds a Transfer that never was",
      ofReceipts((all) => all.map((one) => ({ ...one, logs: [...one.logs, forgedLog(one)] }))),
    ],
    ["repeats receipts", ofReceipts((all) => [...all, ...all])],
    [
      "answers the traces of nothing, or that tracing failed",
      ({ method }) => {
        if (method !== "debug_traceBlockByHash") return null;
        return sometimes({ result: random.pick([[], [{ error: "execution timeout" }], [{}]]) });
      },
    ],
    [
      "serves an old head",
      async ({ method, params }, forward) => {
        if (method !== "eth_getBlockByNumber" || params[0] !== "latest") return null;
        const head = Number(((await forward()) as Block).number);
        const old = await anvil.block(Math.max(0, head - 3));
        return sometimes({ result: old });
      },
    ],
    [
      "names a head that no ledger can store",
      async ({ method, params }, forward) => {
        if (method !== "eth_getBlockByNumber" || params[0] !== "latest") return null;
        const head = (await forward()) as Block;
        return sometimes({ result: { ...head, number: `0x1${"0".repeat(16)}` } });
      },
    ],
    [
      "answers with another block than the one asked for",
      async ({ method, params }, forward) => {
        if (method !== "eth_getBlockByNumber" || params[0] === "latest") return null;
        const asked = (await forward()) as Block | null;
        const other = Math.max(0, Number(asked?.number ?? 1) - 1);
        return sometimes({
          result: await anvil.rpc("eth_getBlockByNumber", `0x${other.toString(16)}`, true),
        });
      },
    ],
  ];

  function forgedLog(receipt: Receipt) {
    return {
      address: token.address,
      topics: [transferTopic, word(payer), word(wallets[0] ?? "")],
      data: word("0x2710"),

      blockHash: receipt.blockHash,
      transactionHash: receipt.transactionHash,

      logIndex: "0x0",
      blockNumber: "0x1",
      transactionIndex: "0x0",
      removed: false,
    };
  }

  let wallets: string[] = [];
  /** Of deposits: three of each wallet, in a block each. */
  const rounds = 3;

  beforeEach(() => {
    wallets = [newAddress(), newAddress()];
  });

  it.each(faults)("that %s makes nothing lost, invented or doubled", async (fault, misbehave) => {
    // A limit that only what hangs reaches; the others' is one that a busy machine does not reach.
    const watching = await watch({ timeoutMs: fault === lateness ? 1_000 : 15_000 });
    const ids = new Map<string, string>();
    for (const wallet of wallets) ids.set(wallet, await watching.addWallet(wallet));
    proxy.misbehave(misbehave);
    for (let round = 1; round <= rounds; round += 1) {
      for (const wallet of wallets) await deposit(wallet, BigInt(round));
      await struggle(watching, 2);
    }
    proxy.misbehave(null);
    await anvil.mine(1);
    await struggle(watching, 2);
    await watching.catchUp();
    const state = await watching.ledger.readChainState(watching.chainName);
    expect(state.position?.number).toBe(BigInt(await anvil.blockNumber()));
    for (const [wallet, id] of ids) {
      expect(await watching.balances(id)).toEqual({
        ETH: await anvil.balance(wallet),
        TOK: await token.balanceOf(wallet),
      });
      expect(await watching.history(id)).toHaveLength(3 * rounds);
    }
    const notified = await watching.db.notification.findMany();
    expect(notified.map((one) => one.state)).toEqual(Array(6 * rounds).fill("confirmed"));
  });
});

describe("a node that lies about a block", () => {
  let wallet = "";

  beforeEach(() => {
    wallet = newAddress();
  });

  async function refusal(receipts: ReceiptsProof, lie: Misbehave): Promise<string> {
    const watching = await watch({ receipts });
    const id = await watching.addWallet(wallet);
    await token.call(payer, "mint", [payer, 5n]);
    proxy.misbehave(lie);
    const [trouble] = await struggle(watching, 1);
    const position = await watching.ledger.readPosition(watching.chainName);
    expect(position?.number).toBe(BigInt((await anvil.blockNumber()) - 1));
    expect(await watching.history(id)).toEqual([]);
    return trouble ?? "it was believed";
  }

  const changingReceipts =
    (change: (receipt: Receipt) => Receipt): Misbehave =>
    async ({ method }, forward) =>
      method === "eth_getBlockReceipts"
        ? { result: ((await forward()) as Receipt[]).map(change) }
        : null;

  const forging = changingReceipts((receipt) => {
    const topics = [transferTopic, word(payer), word(wallet)];
    return { ...receipt, logs: [...receipt.logs, { ...receipt.logs[0], topics, logIndex: "0x1" }] };
  });

  it.each(["root", "root-op", "bloom"] as const)(
    "is refused with the forged log named (receipts: %s)",
    async (receipts) => {
      const trouble = await refusal(receipts, forging);
      expect(trouble).toContain(
        `log 1 of contract ${token.address.toLowerCase()} in transaction 0x`,
      );
      expect(trouble).toContain("is no part of it");
    },
  );

  it("is refused where a log has another amount, which a bloom cannot show", async () => {
    const changing = changingReceipts((receipt) => ({
      ...receipt,
      logs: receipt.logs.map((log) => ({ ...log, data: word("0x6") })),
    }));
    expect(await refusal("root", changing)).toContain("do not make up its receiptsRoot");
  });

  it.each(["root", "bloom"] as const)("is refused where it hides logs (%s)", async (receipts) => {
    const hiding = changingReceipts((receipt) => ({ ...receipt, logs: [] }));
    expect(await refusal(receipts, hiding)).toContain("its bloom promises logs");
  });

  it("is refused where it makes up a whole block around its lie", async () => {
    const empty = `0x${"0".repeat(512)}`;
    const lie: Misbehave = async ({ method, params }, forward) => {
      const isFull = method === "eth_getBlockByNumber" && params[1] === true;
      if (isFull) return { result: { ...((await forward()) as object), logsBloom: empty } };
      if (method !== "eth_getBlockReceipts") return null;
      return { result: ((await forward()) as Receipt[]).map((one) => ({ ...one, logs: [] })) };
    };
    expect(await refusal("root", lie)).toContain("its header does not have that hash");
  });

  it("is refused where it invents a payment, or takes one away", async () => {
    type Full = { transactions: object[] };
    const changing =
      (change: (transactions: object[]) => object[]): Misbehave =>
      async ({ method, params }, forward) => {
        if (method !== "eth_getBlockByNumber" || params[1] !== true) return null;
        const block = (await forward()) as Full;
        return { result: { ...block, transactions: change(block.transactions) } };
      };
    const redirect = changing((all) => all.map((one) => ({ ...one, to: wallet, value: "0x5" })));
    expect(await refusal("root", redirect)).toMatch(/transaction 0 does not have the hash/);
    await watched?.stop();
    proxy.misbehave(null);
    expect(
      await refusal(
        "root",
        changing(() => []),
      ),
    ).toContain("does not hold together");
  });

  it("is refused where its traces are of other transactions", async () => {
    const lie: Misbehave = async ({ method }, forward) => {
      if (method !== "debug_traceBlockByHash") return null;
      const traces = (await forward()) as { result: object }[];
      return { result: traces.map((one) => ({ result: { ...one.result, value: "0x9" } })) };
    };
    expect(await refusal("root", lie)).toContain("trace 0 is not of its transaction");
  });
});
