import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { typedClient } from "../support/api/typed-client.ts";
import { ether, payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { deployFeed } from "../support/chain/price-feed.ts";
import { createCustomer } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { type DaemonSettings, deploymentOf } from "../support/process/deployment.ts";
import { waitFor } from "../support/wait-for.ts";
import { eachWorld } from "../support/world.ts";

const soon = 20_000;

type Daemon = Awaited<ReturnType<typeof startDaemon>>;

describe("the interface of a running daemon", () => {
  const world = eachWorld();
  let daemons: Daemon[];

  beforeEach(async () => {
    daemons = [];
  });

  afterEach(async () => {
    await Promise.all(daemons.map((daemon) => daemon.stop()));
  });

  const deployment = (nativePrice: object, file: object = {}) => {
    const settings: DaemonSettings = {
      databaseUrl: world.database.url,
      redisUrl: null,
      chains: [{ name: "anvil", rpcUrl: world.anvil.rpcUrl, confirmations: 2, nativePrice }],
      receiverPorts: [world.receiver.port],
      file,
    };
    return deploymentOf(settings);
  };

  const start = async (from: ReturnType<typeof deployment>): Promise<Daemon> => {
    const daemon = await startDaemon(from);
    daemons.push(daemon);
    return daemon;
  };

  const customerOf = (daemon: Daemon) =>
    createCustomer({
      ...daemon,
      blockchain: "anvil",
      addresses: [wallet],
      receiver: world.receiver,
    });

  it("serves the typed client: token, wallets, balance, history, one transaction", async () => {
    const daemon = await start(deployment({ usd: "2000.5" }));
    const { key } = await customerOf(daemon);
    const byKey = typedClient(daemon.url, { "x-api-key": key });
    const minted = await byKey.POST("/auth/token");
    const api = typedClient(daemon.url, { authorization: `Bearer ${minted.data?.access_token}` });
    const wallets = await api.GET("/wallets", { params: { query: { address: wallet } } });
    expect(wallets.data?.data.map((each) => each.address)).toEqual([wallet]);
    await world.anvil.sendNative({ from: payer, to: wallet, amountAtomic: 3n * ether + 1n });
    await world.anvil.mine(3);
    const row = await waitFor(
      async () => {
        const query = { status: "completed", asset: "ETH", limit: 10 } as const;
        return (await api.GET("/transactions", { params: { query } })).data?.data[0];
      },
      { what: "the deposit to be completed", timeoutMs: soon },
    );
    expect(row).toMatchObject({ type: "deposit", amount: "3.000000000000000001" });
    const path = { transaction_id: row.id };
    const detail = await api.GET("/transactions/{transaction_id}", { params: { path } });
    expect(detail.data?.data).toMatchObject({
      usd_value: "6001.5000000000000020005",
      required_confirmations: 2,
    });
    const balance = await api.GET("/balance", { parseAs: "text" });
    expect(balance.data).toContain('"assets":{"ETH":3.000000000000000001}');
    expect(balance.data).toContain('"net_worth_usd":6001.50');
    const missing = await api.GET("/transactions/{transaction_id}", {
      params: { path: { transaction_id: "x" } },
    });
    expect(missing.error?.error.code).toBe("transaction_not_found");
  });

  it("values a deposit at the feed's price of its confirmation, and balances at the price of now", async () => {
    const feed = await deployFeed(world.anvil);
    await feed.set(200_000_000_000n);
    const price = { chainlink: feed.address, heartbeat: "1h" };
    const daemon = await start(deployment(price, { prices: { refresh: "100ms" } }));
    const { api } = await customerOf(daemon);
    const isPriced = () => daemon.db.price.findFirst();
    await waitFor(isPriced, { what: "a price", timeoutMs: soon });
    await world.anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
    await world.anvil.mine(2);
    const worth = () => api.call("GET", "/balance").then(({ body }) => body.net_worth_usd);
    await waitFor(async () => (await worth()) === 2_000, {
      what: "2,000 dollars",
      timeoutMs: soon,
    });
    // One host moves a price by at most a fifth at once.
    await feed.set(230_000_000_000n);
    await waitFor(async () => (await worth()) === 2_300, {
      what: "2,300 dollars",
      timeoutMs: soon,
    });
    const [{ id }] = await api.get("/transactions");
    expect((await api.get(`/transactions/${id}`)).usd_value).toBe("2000");
  });

  it("finds and notifies deposits also when no price source answers", async () => {
    const file = { prices: { refresh: "100ms", http: { url: "http://127.0.0.1:1" } } };
    const daemon = await start(deployment({ http: "coingecko:ethereum" }, file));
    const { api } = await customerOf(daemon);
    await world.anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
    await world.anvil.mine(3);
    await world.receiver.waitForCount(1);
    const { body } = await api.call("GET", "/balance");
    expect(body).toMatchObject({ net_worth_usd: 0, assets: { ETH: 1 }, unpriced_assets: ["ETH"] });
    const [{ id }] = await api.get("/transactions");
    expect((await api.get(`/transactions/${id}`)).usd_value).toBeNull();
    expect((await fetch(`${daemon.url}/health/ready`)).status).toBe(200);
    const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
    expect(metrics).toMatch(/chainbell_price_errors_total\{source="http"\} [1-9]/);
  });

  it("shows its metrics: chains, outbox, deliveries, requests, requests to endpoints", async () => {
    const daemon = await start(deployment({ usd: 1 }));
    await customerOf(daemon);
    await world.anvil.sendNative({ from: payer, to: wallet, amountAtomic: ether });
    await world.anvil.mine(3);
    await world.receiver.waitForCount(1);
    const metrics = await waitFor(
      async () => {
        const text = await (await fetch(`${daemon.url}/metrics`)).text();
        const isCounted = text.includes('outcome="accepted"') && text.includes("price_fresh{");
        return isCounted ? text : null;
      },
      { what: "the delivery and the price to be counted", timeoutMs: soon },
    );
    for (const line of [
      /^chainbell_chain_head\{chain="anvil"\} \d+$/m,
      /^chainbell_chain_position\{chain="anvil"\} \d+$/m,
      /^chainbell_chain_lag_blocks\{chain="anvil"\} \d+$/m,
      /^chainbell_chain_discrepancies\{chain="anvil"\} 0$/m,
      /^chainbell_outbox_waiting \d+$/m,
      /^chainbell_outbox_oldest_seconds /m,
      /^chainbell_ledger_rows\{table="transaction"\} \d+$/m,
      /^chainbell_ledger_up 1$/m,
      /^chainbell_delivery_attempt_seconds_count\{outcome="accepted"\} 1$/m,
      /^chainbell_rpc_seconds_count\{chain="anvil",question="loadNext"\} \d+$/m,
      /^chainbell_api_request_seconds_count\{method="POST",route="\/webhooks",status="201"\} 1$/m,
      /^chainbell_price_fresh\{chain="anvil",asset="ETH"\} 1$/m,
    ]) {
      expect(metrics).toMatch(line);
    }
  });

  it("revokes a key, and the tokens minted with it, in every process within two seconds", async () => {
    const both = deployment({ usd: 1 });
    const [first, second] = [await start(both), await start(both)];
    const { key } = await customerOf(first);
    const [{ id }] = await first.admin.get(
      `/admin/businesses/${(await first.admin.get("/admin/businesses"))[0].id}/api-keys`,
    );
    const minted = await typedClient(first.url, { "x-api-key": key }).POST("/auth/token");
    const ways = [
      typedClient(second.url, { "x-api-key": key }),
      typedClient(second.url, { authorization: `Bearer ${minted.data?.access_token}` }),
    ];
    for (const api of ways) expect((await api.GET("/wallets")).response.status).toBe(200);
    await first.admin.call("DELETE", `/admin/api-keys/${id}`);
    for (const api of ways) {
      await waitFor(async () => (await api.GET("/wallets")).response.status === 403, {
        what: "the revocation to be known to the other process",
        timeoutMs: 2_000,
      });
    }
  });

  it("shares one rate limit between processes, to within a tenth", async () => {
    // So few a second that a busy machine asks for more, and so many in all that a second limit, or
    // one that is filled up twice, is far from a tenth.
    const rate = { per_second: 8, burst: 24 };
    const limited = deployment({ usd: 1 }, { rate_limit: rate });
    const [first, second] = [await start(limited), await start(limited)];
    const { key } = await customerOf(first);
    let passed = 0;
    let refused = 0;
    const startedMs = Date.now();
    const untilMs = startedMs + 2_000;
    const passes = async (url: string) => {
      const response = await fetch(`${url}/wallets`, { headers: { "x-api-key": key } });
      await response.text();
      if (response.status === 200) {
        passed += 1;
        return true;
      }
      expect(response.status).toBe(429);
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      refused += 1;
      return false;
    };
    const hammer = async (url: string) => {
      while (Date.now() < untilMs || refused < 20) await passes(url);
    };
    await Promise.all([first, second, first, second].map(({ url }) => hammer(url)));
    // A refusal takes up to 1.5 s, and the limit fills up meanwhile. So each process is asked once
    // more until it has nothing left. Rounds of eight that all pass take no time.
    const takesAll = async (url: string) => {
      const asked = Array.from({ length: rate.per_second }, () => passes(url));
      return (await Promise.all(asked)).every((isPassed) => isPassed);
    };
    let askedMs = Date.now();
    while (await takesAll(first.url)) askedMs = Date.now();
    while (await takesAll(second.url));
    const dueAt = (ms: number) => rate.burst + (rate.per_second * (ms - startedMs)) / 1_000;
    expect(passed / dueAt(askedMs)).toBeGreaterThan(0.9);
    expect(passed / dueAt(Date.now())).toBeLessThan(1.1);
  });
});
