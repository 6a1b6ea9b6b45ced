import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { wallet } from "../../support/chain/cast.ts";
import { type Misbehave, type RpcProxy, startRpcProxy } from "../../support/chain/rpc-proxy.ts";
import { deployToken, type TestToken } from "../../support/chain/token.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";
import { allTests } from "../../support/each-test.ts";
import { struggle } from "../../support/fault-steps.ts";

const payer = ANVIL_ACCOUNTS[0];
const stranger = "0x00000000000000000000000000000000000b0b00";
const blocks = 400;

/** 400 blocks with ten transfers. Tests only read it. */
async function openChain() {
  const anvil = await startAnvil({});
  const token = await deployToken(anvil);
  await token.mint(payer, 10n ** 9n);
  for (let sent = 1; sent <= 10; sent += 1) {
    await token.transfer(payer, sent % 2 === 0 ? wallet : stranger, BigInt(sent));
    await anvil.mine(blocks / 10);
  }
  return { anvil, token };
}

const chain = allTests(openChain, ({ anvil }) => anvil.stop());

let proxy: RpcProxy;
let watched: WatchedChain;

type Span = { from: number; to: number; size: number };

/** The spans of eth_getLogs that were answered. */
let answered: Span[];

type Chain = { anvil: Anvil; token: TestToken };

async function watch({ anvil, token }: Chain, timeoutMs = 30_000): Promise<void> {
  proxy = await startRpcProxy(anvil.rpcUrl);
  answered = [];
  // Where nothing can be proved, eth_getLogs says which blocks to read.
  watched = await watchChain({
    rpcUrl: proxy.url,
    depth: 1,
    startBlock: 1n,
    tokens: [token.asset],
    tracing: "off",
    receipts: "none",
    farBlocks: 8n,
    timeoutMs,
  });
  await watched.addWallet(wallet);
}

async function unwatch(): Promise<void> {
  await watched.stop();
  await proxy.stop();
}

beforeEach(() => watch(chain));

afterEach(unwatch);

/** Answers each eth_getLogs as the provider says, or as the node does. */
function provide(answer: (asked: Span) => Awaited<ReturnType<Misbehave>>): void {
  proxy.misbehave(({ method, params }) => {
    if (method !== "eth_getLogs") return null;
    const [filter] = params as [{ fromBlock: string; toBlock: string }];
    const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)];
    const asked = { from, to, size: to - from + 1 };
    const misbehaviour = answer(asked);
    if (misbehaviour === null) answered.push(asked);
    return misbehaviour;
  });
}

const refusal = (message: string, code = -32_000) => ({ error: { code, message } });
const hex = (number: number) => `0x${number.toString(16)}`;

async function expectWhole() {
  const [{ id } = { id: "" }] = await watched.db.wallet.findMany();
  expect(await watched.balances(id)).toEqual({ ETH: 0n, TST: 2n + 4n + 6n + 8n + 10n });
  const position = await watched.ledger.readPosition(watched.chainName);
  expect(position?.number).toBe(BigInt(await chain.anvil.blockNumber()));
}

/** What a node does of which the logs below a block are gone; other calls it answers as ever. */
const gone: [string, Misbehave][] = [
  ["refuses by the code of EIP-4444", logsBelow(() => refusal("pruned history unavailable", 4444))],
  ["refuses in words", logsBelow(() => refusal("required historical state unavailable"))],
  ["answers with none", logsBelow(() => ({ result: [] }))],
  [
    "answers with none, nor has their receipts",
    async (call, forward) =>
      call.method === "eth_getBlockReceipts"
        ? { result: [] }
        : logsBelow(() => ({ result: [] }))(call, forward),
  ],
  [
    "answers with the newer ones of a range",
    async ({ method }, forward) => {
      if (method !== "eth_getLogs") return null;
      const logs = (await forward()) as { blockNumber: string }[];
      return { result: logs.filter(({ blockNumber }) => Number(blockNumber) >= blocks / 2) };
    },
  ],
  [
    "answers with the ends of a range, and with all of a single block",
    async ({ method, params }, forward) => {
      if (method !== "eth_getLogs") return null;
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }];
      if (fromBlock === toBlock) return null;
      const logs = (await forward()) as unknown[];
      return { result: logs.filter((_, at) => at === 0 || at === logs.length - 1) };
    },
  ],
  [
    "says so when it is asked what it has",
    async ({ method }) =>
      method === "eth_capabilities"
        ? { result: { logs: { disabled: false, oldestBlock: hex(blocks / 2) } } }
        : null,
  ],
];

function logsBelow(answer: () => Awaited<ReturnType<Misbehave>>): Misbehave {
  return ({ method, params }) => {
    if (method !== "eth_getLogs") return null;
    const [{ fromBlock }] = params as [{ fromBlock: string }];
    return Number(fromBlock) < blocks / 2 ? answer() : null;
  };
}

describe("an endpoint of which old logs are gone", () => {
  it.each(gone)("that %s is never taken for a chain without them", async (_, misbehave) => {
    proxy.misbehave(misbehave);
    await expect(watched.catchUp()).rejects.toMatchObject({
      code: expect.stringMatching(/^rpc_(unavailable|inconsistent)$/),
    });
    const position = await watched.ledger.readPosition(watched.chainName);
    expect(position?.number).toBeLessThan(BigInt(blocks / 2));
    proxy.misbehave(null);
    await struggle(watched, 3);
    await expectWhole();
  });
});

describe("an endpoint that has lost the middle of a range", () => {
  it("is never taken for a chain without those logs", async () => {
    await unwatch();
    const own = await openChain();
    onTestFinished(own.anvil.stop);
    const { anvil, token } = own;
    await watch(own);
    await watched.catchUp();
    await anvil.mine(1);
    const first = await anvil.blockNumber();
    for (let sent = 0; sent < 60; sent += 1)
      await token.transfer(payer, sent === 30 ? wallet : stranger, 1n);
    await anvil.mine(1);
    proxy.misbehave(async ({ method }, forward) => {
      if (method !== "eth_getLogs") return null;
      const logs = (await forward()) as { blockNumber: string }[];
      const at = (number: string) => Number(number) - first;
      return { result: logs.filter(({ blockNumber: n }) => at(n) < 20 || at(n) > 41) };
    });
    await expect(watched.catchUp()).rejects.toMatchObject({ code: "rpc_inconsistent" });
    proxy.misbehave(null);
    await struggle(watched, 3);
    const [{ id } = { id: "" }] = await watched.db.wallet.findMany();
    expect((await watched.balances(id))["TST"]).toBe(31n);
  });
});

describe("ranges of logs", () => {
  const limited: [string, (asked: Span) => string, number?][] = [
    ["QuickNode", () => "eth_getLogs is limited to a 20 range"],
    ["PublicNode", () => "exceed maximum block range: 20"],
    ["Cloudflare", () => "Max range: 20"],
    ["Ankr, which names no number", () => "block range is too wide"],
    ["a node that refuses in words of its own", () => "no"],
    [
      "Infura, by the code of a rate limit",
      ({ from }) =>
        `query returned more than 10000 results. Try with this block range [${hex(from)}, ${hex(from + 9)}].`,
      -32_005,
    ],
    [
      "Alchemy",
      ({ from }) =>
        `Log response size exceeded. Based on your parameters and the response size limit, this block range should work: [${hex(from)}, ${hex(from + 19)}]`,
    ],
  ];

  it.each(limited)("are asked for as %s allows", async (_, wordOf, code) => {
    provide((asked) => (asked.size > 20 ? refusal(wordOf(asked), code) : null));
    await watched.catchUp();
    await expectWhole();
    expect(Math.max(...answered.map(({ size }) => size))).toBeLessThanOrEqual(20);
    expect(answered.some(({ size }) => size >= 10)).toBe(true);
    expect(watched.chain.status().endpoints[0]?.requestsPerSecond).toBeNull();
  });

  it("are halved where they take too long", async () => {
    await unwatch();
    await watch(chain, 1_500);
    provide(({ size }) => (size > 50 ? "hang" : null));
    await struggle(watched, 3);
    await expectWhole();
    expect(Math.max(...answered.map(({ size }) => size))).toBeLessThanOrEqual(50);
  });

  it("grow again where more is given", async () => {
    let isNarrow = true;
    provide(({ size }) => {
      if (!isNarrow || size <= 5) {
        if (answered.length > 10) isNarrow = false;
        return null;
      }
      return refusal("block range is too wide");
    });
    await watched.catchUp();
    await expectWhole();
    expect(Math.max(...answered.map(({ size }) => size))).toBeGreaterThan(10);
  });

  it("go by the receipts of a single block whose logs are too many for one answer", async () => {
    const logs = await chain.anvil.rpc<{ blockNumber: string }[]>("eth_getLogs", {
      fromBlock: "0x1",
      toBlock: "latest",
      address: chain.token.address,
    });
    const crowded = logs.map(({ blockNumber }) => Number(blockNumber));
    provide(({ from, to }) =>
      crowded.some((number) => from <= number && number <= to)
        ? refusal("query returned more than 10000 results")
        : null,
    );
    await watched.catchUp();
    await expectWhole();
  });

  it("are of tokens, and never show which wallets are watched", async () => {
    const filters: unknown[] = [];
    proxy.misbehave(({ method, params }) => {
      if (method === "eth_getLogs") filters.push(params[0]);
      return null;
    });
    await watched.catchUp();
    await expectWhole();
    expect(filters.length).toBeGreaterThan(0);
    expect(JSON.stringify(filters)).toContain(chain.token.address.toLowerCase());
    expect(JSON.stringify(filters)).not.toContain(wallet.slice(2));
  });
});
