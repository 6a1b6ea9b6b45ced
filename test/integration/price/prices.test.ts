import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createFeedReader } from "../../../src/chain/balances/read-feed.ts";
import { noProviders } from "../../../src/domain/chain/endpoint-host.ts";
import type { PricedAsset } from "../../../src/domain/price/priced-asset.ts";
import {
  expirePrices,
  keepPrices,
  readPriceAnchors,
  readPrices,
  writePrices,
} from "../../../src/ledger/balances/prices.ts";
import { releaseLease, takeLease } from "../../../src/ledger/chain/lease.ts";
import { createPrices } from "../../../src/price/prices.ts";
import { type RefreshPorts, refreshPrices } from "../../../src/price/refresh-prices.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { openTestApi, type TestApi } from "../../support/api/test-api.ts";
import { type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { deployFeed } from "../../support/chain/price-feed.ts";
import { type RpcProxy, startRpcProxy } from "../../support/chain/rpc-proxy.ts";
import { markSynced, newWallet } from "../../support/ledger/ledger-fixtures.ts";
import { addWallets } from "../../support/ledger/steps.ts";
import { startTcpProxy } from "../../support/process/tcp-proxy.ts";
import { quiet } from "../../support/quiet.ts";
import { waitFor } from "../../support/wait-for.ts";

const hourMs = 3_600_000;
let anvil: Anvil;
let api: TestApi;
let source: { url: string; answer: (request: IncomingMessage, response: ServerResponse) => void };
let closeSource: () => Promise<void>;

beforeAll(async () => {
  anvil = await startAnvil({});
});
afterAll(() => anvil.stop());

beforeEach(async () => {
  api = await openTestApi();
  await api.db.price.deleteMany();
  const server = createServer((request, response) => source.answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  source = { url: `http://127.0.0.1:${port}`, answer: (_, response) => response.end("{}") };
  closeSource = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const [wallet] = await addWallets(api.db, { businessId: api.businessId, wallets: [newWallet()] });
  const held = { ETH: { confirmed: 2n * 10n ** 18n }, USDC: { confirmed: 3_000_000n } };
  await markSynced(api.db, [wallet?.id ?? ""], held);
});

afterEach(async () => {
  await closeSource();
  await api.stop();
});

const failed: string[] = [];

function ports(fields: Partial<RefreshPorts> = {}): RefreshPorts {
  const read = createFeedReader({
    urls: [anvil.rpcUrl],
    providers: noProviders,
    timeoutMs: 2_000,
    clock: systemClock,
  });
  return {
    readFeed: (_chain, feed) => read(feed),
    sequencerFeedOf: () => null,
    http: { url: source.url, maxAgeMs: hourMs, minConfidence: 0.9, timeoutMs: 500 },
    ledger: {
      writePrices: (prices) => writePrices(api.db, prices),
      expirePrices: (assets) => expirePrices(api.db, assets),
      readPriceAnchors: () => readPriceAnchors(api.db),
    },
    onFailed: (name) => failed.push(name),
    clock: { now: () => Date.now() },
    log: quiet,
    ...fields,
  };
}

const asset = (assetCode: string, price: PricedAsset["price"]): PricedAsset => ({
  chainName: "ethereum",
  assetCode,
  price,
});
const chainlink = (feed: string, isStable = false): PricedAsset["price"] => ({
  kind: "chainlink",
  chainName: "ethereum",
  feed: feed as `0x${string}`,
  heartbeatMs: hourMs,
  isStable,
});
const http = (key: string, isStable = false): PricedAsset["price"] => ({
  kind: "http",
  key,
  isStable,
});

const balance = async () => (await api.get("/balance")).json();

describe("a Chainlink feed", () => {
  test("values balances with its own decimals, as of its round", async () => {
    const feed = await deployFeed(anvil, 18);
    const updatedAtMs = Math.floor((Date.now() - 60_000) / 1_000) * 1_000;
    await feed.set(1_234_567_890_123_456_789n, updatedAtMs);
    await refreshPrices(ports(), [asset("ETH", chainlink(feed.address))]);
    expect(await balance()).toMatchObject({
      net_worth_usd: 2.47,
      unpriced_assets: ["USDC"],
      prices_as_of: new Date(updatedAtMs).toISOString(),
    });
  });

  test.each([
    ["stale", 2_000n, Date.now() - 2 * hourMs],
    ["zero", 0n, Date.now()],
    ["negative", -5n, Date.now()],
  ])(
    "that is %s leaves the asset out and says so, whatever was known before",
    async (_t, answer, at) => {
      const feed = await deployFeed(anvil);
      await feed.set(200_000_000_000n);
      const assets = [asset("ETH", chainlink(feed.address))];
      await refreshPrices(ports(), assets);
      expect((await balance()).net_worth_usd).toBe(4_000);
      await feed.set(answer, at);
      await refreshPrices(ports(), assets);
      expect(await balance()).toMatchObject({ net_worth_usd: 0, unpriced_assets: ["ETH", "USDC"] });
    },
  );

  test("that cannot be reached keeps its last price until that is too old, and fails no other", async () => {
    const feed = await deployFeed(anvil);
    await feed.set(200_000_000_000n);
    const assets = [
      asset("ETH", chainlink(feed.address)),
      asset("USDC", chainlink(`0x${"1".repeat(40)}`)),
    ];
    expect(await refreshPrices(ports(), assets)).toEqual({ priced: 1, failed: 1 });
    const dead = createFeedReader({
      urls: ["http://127.0.0.1:1"],
      providers: noProviders,
      timeoutMs: 500,
      clock: systemClock,
    });
    await refreshPrices(ports({ readFeed: (_chain, address) => dead(address) }), assets);
    expect(await balance()).toMatchObject({ net_worth_usd: 4_000, unpriced_assets: ["USDC"] });
    await api.db.price.updateMany({ data: { freshUntil: new Date(Date.now() - 1) } });
    expect((await balance()).unpriced_assets).toEqual(["ETH", "USDC"]);
  });

  test("is read again over a websocket, however long it was out of reach", async () => {
    const feed = await deployFeed(anvil);
    await feed.set(200_000_000_000n);
    const proxy = await startTcpProxy(anvil.port);
    const read = createFeedReader({
      urls: [`ws://127.0.0.1:${proxy.port}`],
      providers: noProviders,
      timeoutMs: 2_000,
      clock: systemClock,
    });
    const isRead = () =>
      read(feed.address as `0x${string}`).then(
        ({ answer }) => answer === 200_000_000_000n,
        () => false,
      );
    try {
      expect(await isRead()).toBe(true);
      proxy.allow(0);
      // Each question is a new attempt, and none is the last one.
      await waitFor(async () => !(await isRead()) && proxy.refused() > 6, {
        what: "more attempts to connect",
        timeoutMs: 20_000,
      });
      proxy.allow(1);
      await waitFor(isRead, { what: "the feed to be read again", timeoutMs: 5_000 });
    } finally {
      await proxy.stop();
    }
  });

  test("of an L2 is not used while its sequencer is down", async () => {
    const [feed, sequencer] = [await deployFeed(anvil), await deployFeed(anvil, 0)];
    await feed.set(200_000_000_000n);
    const assets = [asset("ETH", chainlink(feed.address))];
    const l2 = ports({ sequencerFeedOf: () => sequencer.address });
    await sequencer.set(0n, Date.now(), Date.now() - 2 * hourMs);
    await refreshPrices(l2, assets);
    expect((await balance()).net_worth_usd).toBe(4_000);
    await sequencer.set(1n);
    await refreshPrices(l2, assets);
    expect((await balance()).net_worth_usd).toBe(0);
    await sequencer.set(0n, Date.now(), Date.now() - hourMs / 2);
    await refreshPrices(l2, assets);
    expect((await balance()).net_worth_usd).toBe(0);
    await sequencer.set(0n, Date.now(), Date.now() - 2 * hourMs);
    await refreshPrices(l2, assets);
    expect((await balance()).net_worth_usd).toBe(4_000);
  });
});

describe("a feed that several hosts answer", () => {
  const latestRound = "0xfeaf968c";
  const million = 1_000_000n * 10n ** 8n;
  let proxies: [RpcProxy, RpcProxy, RpcProxy];

  beforeAll(async () => {
    const start = () => startRpcProxy(anvil.rpcUrl);
    proxies = [await start(), await start(), await start()];
  });
  afterEach(() => {
    for (const proxy of proxies) proxy.misbehave(null);
  });
  afterAll(async () => {
    await Promise.all(proxies.map((proxy) => proxy.stop()));
  });

  /** It says another answer, of this moment, in each round that it is asked for. */
  const lie = (proxy: RpcProxy, answer: bigint) =>
    proxy.misbehave(async ({ method, params }, forward) => {
      const [call] = params as { data?: string }[];
      if (method !== "eth_call" || call?.data !== latestRound) return null;
      const words = /^0x((?:.{64}))(?:.{64})(.*)$/.exec(String(await forward()));
      return { result: `0x${words?.[1]}${answer.toString(16).padStart(64, "0")}${words?.[2]}` };
    });
  const refuse = (proxy: RpcProxy) => proxy.misbehave(() => ({ status: 503 }));

  async function open(hosts: readonly RpcProxy[]) {
    const feed = await deployFeed(anvil);
    await feed.set(200_000_000_000n);
    const read = createFeedReader({
      urls: hosts.map(({ url }) => url),
      providers: noProviders,
      timeoutMs: 2_000,
      clock: systemClock,
    });
    const assets = [asset("ETH", chainlink(feed.address))];
    return {
      refresh: () => refreshPrices(ports({ readFeed: (_chain, at) => read(at) }), assets),
      async worth() {
        const [eth] = (await balance()).holdings;
        return [eth.usd, eth.price_proof];
      },
    };
  }

  test.each([
    ["refuses", refuse],
    ["says otherwise", () => {}],
  ])("is not priced by the first one while the second %s", async (_title, second) => {
    const [liar, other] = proxies;
    lie(liar, million);
    second(other);
    const { refresh, worth } = await open([liar, other]);
    expect(await refresh()).toEqual({ priced: 0, failed: 1 });
    expect(await worth()).toEqual([null, null]);
    expect(await readPrices(api.db)).toEqual([]);
  });

  test("has the price that two say, whoever is first", async () => {
    const [liar, ...honest] = proxies;
    lie(liar, million);
    const { refresh, worth } = await open([liar, ...honest]);
    await refresh();
    expect(await worth()).toEqual(["4000.00", "agreed"]);
  });

  test("moves on the word of one host as far as a price may move, and no farther", async () => {
    const [liar, other] = proxies;
    const { refresh, worth } = await open([liar, other]);
    await refresh();
    refuse(other);
    lie(liar, million);
    await refresh();
    expect(await worth()).toEqual(["4000.00", "agreed"]);
    for (const answer of [2_300n, 2_700n]) {
      lie(liar, answer * 10n ** 8n);
      await refresh();
      expect(await worth()).toEqual(["4600.00", "answered"]);
    }
  });
});

describe("a stablecoin", () => {
  test("is one dollar while its feed is within half a percent, and else what the feed says", async () => {
    const feed = await deployFeed(anvil);
    const assets = [asset("USDC", chainlink(feed.address, true))];
    await feed.set(99_500_000n);
    await refreshPrices(ports(), assets);
    expect((await balance()).net_worth_usd).toBe(3);
    await feed.set(87_000_000n);
    await refreshPrices(ports(), assets);
    expect((await balance()).net_worth_usd).toBe(2.61);
    await feed.set(100_000_000n, Date.now() - 2 * hourMs);
    await refreshPrices(ports(), assets);
    expect(await balance()).toMatchObject({ net_worth_usd: 0, unpriced_assets: ["ETH", "USDC"] });
  });
});

describe("an HTTP source", () => {
  const coins = (coins: object) => {
    source.answer = (_request, response) => response.end(JSON.stringify({ coins }));
  };
  const now = () => Math.floor(Date.now() / 1_000);

  test("is asked once for all its keys, and prices those that it knows", async () => {
    const asked: string[] = [];
    source.answer = (request, response) => {
      asked.push(decodeURIComponent(request.url ?? ""));
      const known = { price: 2_000.5, timestamp: now(), confidence: 0.99, symbol: "ETH" };
      response.end(JSON.stringify({ coins: { "coingecko:ethereum": known } }));
    };
    const assets = [
      asset("ETH", http("coingecko:ethereum")),
      asset("USDC", http("ethereum:0xa0b8")),
    ];
    await refreshPrices(ports(), assets);
    expect(asked).toEqual(["/prices/current/coingecko:ethereum,ethereum:0xa0b8"]);
    expect(await balance()).toMatchObject({ net_worth_usd: 4_001, unpriced_assets: ["USDC"] });
  });

  test.each([
    ["old", { price: 2, timestamp: now() - 7_200 }],
    ["unsure", { price: 2, timestamp: now(), confidence: 0.5 }],
    ["of the future", { price: 2, timestamp: now() + 7_200 }],
    ["nothing", { price: 0, timestamp: now() }],
    ["negative", { price: -2, timestamp: now() }],
  ])("whose answer is %s prices nothing", async (_title, answer) => {
    coins({ x: answer });
    await refreshPrices(ports(), [asset("ETH", http("x"))]);
    expect((await balance()).unpriced_assets).toContain("ETH");
  });

  test.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    ["answers 500", (_, response) => response.writeHead(500).end("no")],
    ["answers something else", (_, response) => response.end("<html>")],
    ["answers another shape", (_, response) => response.end('{"coins":{"x":{"price":"2"}}}')],
    ["never answers", () => {}],
    ["answers without end", (_, response) => void response.write(" ".repeat(2_000_000))],
    ["breaks off", (_, response) => response.destroy()],
  ])("that %s costs its own prices, and only once they are stale", async (_title, answer) => {
    coins({ x: { price: 2_000, timestamp: now() } });
    const assets = [asset("ETH", http("x"))];
    await refreshPrices(ports(), assets);
    source.answer = answer;
    expect(await refreshPrices(ports(), assets)).toEqual({ priced: 0, failed: 1 });
    expect((await balance()).net_worth_usd).toBe(4_000);
  });
});

describe("the service", () => {
  const leaseOf = (holder: string) => ({ name: "prices", holder, ttlMs: 180_000 });

  const open = (
    assets: PricedAsset[],
    fields: Partial<RefreshPorts> = {},
    unpriced: { chainName: string; assetCode: string }[] = [],
  ) => {
    const base = ports(fields);
    const lease = leaseOf(randomUUID());
    return createPrices(
      {
        ...base,
        clock: systemClock,
        ledger: { ...base.ledger, keepPrices: (kept) => keepPrices(api.db, kept) },
        takeLease: () => takeLease(api.db, lease),
        releaseLease: () => releaseLease(api.db, lease),
      },
      { assets, unpriced, refreshMs: 60_000 },
    );
  };

  test("has the fixed prices when it has started, and deletes those of its own assets that left the configuration", async () => {
    const first = open([
      asset("ETH", { kind: "fixed", usd: "2500.12" }),
      asset("USDC", { kind: "stable" }),
    ]);
    await first.start();
    await first.stop();
    expect(await balance()).toMatchObject({ net_worth_usd: 5_003.24, unpriced_assets: [] });
    const poorer = open([asset("ETH", { kind: "fixed", usd: "1" })]);
    await poorer.start();
    await poorer.stop();
    expect(await balance()).toMatchObject({ net_worth_usd: 5, unpriced_assets: [] });
    const unpriced = open([], {}, [{ chainName: "ethereum", assetCode: "USDC" }]);
    await unpriced.start();
    await unpriced.stop();
    expect(await balance()).toMatchObject({ net_worth_usd: 2, unpriced_assets: ["USDC"] });
  });

  test("lets another process read the prices as soon as it has stopped", async () => {
    const feed = await deployFeed(anvil);
    await feed.set(200_000_000_000n);
    const first = open([asset("ETH", chainlink(feed.address))]);
    await first.start();
    const isRead = async () => (await readPrices(api.db)).length > 0;
    await waitFor(isRead, { what: "the price", timeoutMs: 20_000 });
    const other = leaseOf(randomUUID());
    expect(await takeLease(api.db, other)).toBe(false);
    await first.stop();
    expect(await takeLease(api.db, other)).toBe(true);
  });

  test("starts, and stays healthy, whatever fails", async () => {
    const fail = async () => {
      throw new Error("no");
    };
    const broken = open([asset("ETH", chainlink(`0x${"1".repeat(40)}`))], {
      readFeed: fail,
      ledger: { writePrices: fail, expirePrices: fail, readPriceAnchors: fail },
    });
    await broken.start();
    expect(broken.trouble()).toBeNull();
    await broken.stop();
    expect(await readPrices(api.db)).toEqual([]);
  });
});
