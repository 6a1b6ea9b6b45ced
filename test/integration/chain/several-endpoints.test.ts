import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Hash } from "../../../src/domain/chain/block.ts";
import type { KnownGenesis } from "../../../src/domain/chain/profiles/known-genesis.ts";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { type RpcProxy, startRpcProxy } from "../../support/chain/rpc-proxy.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";
import { fastClock, keepingLog, struggle } from "../../support/fault-steps.ts";
import { waitToEqual } from "../../support/wait-to-equal.ts";

const [payer, other] = ANVIL_ACCOUNTS;
const newAddress = () => `0x${randomBytes(20).toString("hex")}`;

let anvil: Anvil;
let first: RpcProxy;
let second: RpcProxy;
let watched: WatchedChain | null = null;
let closers: (() => Promise<unknown>)[] = [];
let kept: ReturnType<typeof keepingLog>;

/** The same first block whenever it starts. */
const sameGenesis = ["--timestamp", "1700000000"];

beforeEach(async () => {
  anvil = await startAnvil({ args: sameGenesis });
  first = await startRpcProxy(anvil.rpcUrl);
  second = await startRpcProxy(anvil.rpcUrl);
  closers = [anvil.stop, first.stop, second.stop];
  kept = keepingLog();
});

afterEach(async () => {
  await watched?.stop();
  watched = null;
  await Promise.all(closers.map((close) => close()));
});

type Options = {
  rpcUrls?: string[];
  depth?: number;
  genesis?: KnownGenesis;
  witness?: { patienceMs: number };
};

/** Longer than any machine takes: the clock of these tests runs fifty times as fast. */
const patient = { witness: { patienceMs: 1_000_000_000 } };

async function watch(options: Options = {}) {
  watched = await watchChain({
    rpcUrl: first.url,
    rpcUrls: [first.url, second.url],
    depth: 2,

    log: kept.log,
    clock: fastClock(50),
    timeoutMs: 15_000,
    witness: { patienceMs: 15_000 },
    ...options,
  });
  return watched;
}

/** A branch of the chain's own, from its first block on. */
async function startFork(): Promise<Anvil> {
  const fork = await startAnvil({ args: sameGenesis });
  closers.push(fork.stop);
  return fork;
}

const statusesOf = async (watching: WatchedChain, walletId: string) =>
  (await watching.history(walletId)).map(({ status }) => status);

describe("a chain with two endpoints", () => {
  it("goes on through the second when the first goes away, and confirms", async () => {
    const watching = await watch();
    await watching.catchUp();
    const wallet = newAddress();
    const id = await watching.addWallet(wallet);
    first.misbehave(() => "drop");
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    await anvil.mine(3);
    await waitToEqual(
      async () => (await struggle(watching, 1)) && statusesOf(watching, id),
      ["completed"],
      { what: "the confirmation through the second", timeoutMs: 20_000 },
    );
    const health = watching.chain.status().endpoints;
    expect(health[0]?.failures).toBeGreaterThan(0);
    expect(health[0]?.score).toBeLessThan(health[1]?.score ?? 0);
    expect(kept.lines.map((line) => line.message)).toContain("endpoint.switched");
  });

  it("takes a block from the second where the first serves one that does not hold, and says which", async () => {
    const watching = await watch();
    await watching.catchUp();
    const id = await watching.addWallet(payer);
    first.misbehave(async ({ method }, forward) => {
      if (method !== "eth_getBlockReceipts") return null;
      const receipts = (await forward()) as object[];
      return { result: receipts.map((one) => ({ ...one, cumulativeGasUsed: "0x1" })) };
    });
    await anvil.sendNative({ from: payer, to: newAddress(), amountAtomic: 5n });
    await watching.catchUp();
    expect(await statusesOf(watching, id)).toEqual(["pending", "pending"]);
    const refused = kept.lines.find((line) => line.message === "endpoint.refused");
    expect(refused?.fields["endpoint"]).toBe(new URL(first.url).host);
    expect(refused?.fields["part"]).toContain("receiptsRoot");
  });

  it("leaves an endpoint that falls behind the other", async () => {
    const watching = await watch();
    await watching.catchUp();
    const stale = await anvil.block("latest");
    first.misbehave(({ params }) => (params[0] === "latest" ? { result: stale } : null));
    await anvil.mine(5);
    const position = async () => {
      await watching.catchUp();
      return (await watching.ledger.readPosition(watching.chainName))?.number;
    };
    await waitToEqual(position, 5n, { what: "the fifth block", timeoutMs: 20_000 });
  });

  it.each([
    ["height", "number"],
    ["hash", "hash"],
  ])("starts beside a first one whose newest block has no %s", async (_title, field) => {
    first.misbehave(async ({ params }, forward) =>
      params[0] === "latest"
        ? { result: { ...((await forward()) as object), [field]: null } }
        : null,
    );
    const watching = await watch();
    await anvil.mine(3);
    const position = async () => {
      for (const trouble of await struggle(watching, 1)) expect(trouble).toContain("malformed");
      return (await watching.ledger.readPosition(watching.chainName))?.number;
    };
    await waitToEqual(position, 3n, { what: "the third block", timeoutMs: 20_000 });
  });

  it.each([
    ["started for the first time", async () => {}],
    ["started again", async (watching: WatchedChain) => watching.catchUp()],
  ])(
    "is at its head beside a first one that names heads five too high: %s",
    async (_title, before) => {
      await anvil.mine(2);
      const watching = await watch(patient);
      await before(watching);
      const wallet = newAddress();
      first.misbehave(async ({ params }, forward) => {
        if (params[0] !== "latest") return null;
        const head = (await forward()) as { number: string };
        return { result: { ...head, number: `0x${(BigInt(head.number) + 5n).toString(16)}` } };
      });
      watching.restart();
      await struggle(watching, 1);
      expect(await struggle(watching, 1)).toEqual([]);
      expect(watching.chain.status().head?.number).toBe(2n);
      const id = await watching.addWallet(wallet);
      await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
      await anvil.mine(3);
      await struggle(watching, 4);
      expect(await statusesOf(watching, id)).toEqual(["completed"]);
    },
  );

  it("confirms nothing that the second endpoint does not have, and does when it has it, without a new block", async () => {
    const watching = await watch(patient);
    await watching.catchUp();
    const wallet = newAddress();
    const id = await watching.addWallet(wallet);
    const stale = await anvil.block("latest");
    second.misbehave(({ params }) => (params[0] === "latest" ? { result: stale } : null));
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    await anvil.mine(3);
    await watching.catchUp();
    expect(await statusesOf(watching, id)).toEqual(["pending"]);
    second.misbehave(null);
    await watching.catchUp();
    expect(await statusesOf(watching, id)).toEqual(["completed"]);
    expect(await watching.db.notification.count()).toBe(1);
  });

  it("confirms nothing while the second endpoint is on another branch, and says so", async () => {
    const fork = await startFork();
    await anvil.mine(1);
    await fork.mine(9);
    const watching = await watch(patient);
    await watching.catchUp();
    second.retarget(fork.rpcUrl);
    const wallet = newAddress();
    const id = await watching.addWallet(wallet);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    await anvil.mine(5);
    first.misbehave(null);
    await struggle(watching, 3);
    expect(await statusesOf(watching, id)).toEqual(["pending"]);
    expect(kept.lines.map((line) => line.message)).toContain("confirmation.disputed");
    second.retarget(anvil.rpcUrl);
    await watching.catchUp();
    expect(await statusesOf(watching, id)).toEqual(["completed"]);
  });

  it("never uses an endpoint of another chain", async () => {
    const foreign = await startAnvil({ args: ["--chain-id", "5", ...sameGenesis] });
    closers.push(foreign.stop);
    await foreign.mine(50);
    const { hash } = (await anvil.rpc("eth_getBlockByNumber", "0x0", false)) as { hash: Hash };
    const genesis = { hash, source: "a test" };
    const watching = await watch({ rpcUrls: [foreign.rpcUrl, anvil.rpcUrl], genesis });
    const wallet = newAddress();
    await watching.catchUp();
    const id = await watching.addWallet(wallet);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    await foreign.sendNative({ from: payer, to: wallet, amountAtomic: 7n });
    await watching.catchUp();
    expect((await watching.history(id)).map((one) => one.amountAtomic)).toEqual([5n]);
    expect(await watching.ledger.readPosition(watching.chainName)).toMatchObject({ number: 1n });
  });

  it("takes blocks only from the endpoint that traces where the other does not", async () => {
    first.misbehave(({ method }) =>
      /^(debug|trace)_/.test(method)
        ? { error: { code: -32_601, message: "the method does not exist/is not available" } }
        : null,
    );
    const watching = await watch();
    await watching.catchUp();
    await anvil.sendNative({ from: payer, to: newAddress(), amountAtomic: 5n });
    await watching.catchUp();
    expect(first.calls).not.toContain("eth_getBlockReceipts");
    expect(second.calls).toContain("eth_getBlockReceipts");
    expect(watching.chain.status().tracing).toBe("debug");
  });
});

describe("one endpoint", () => {
  it("that serves two branches in turn leaves the ledger on the one it settles on", async () => {
    const fork = await startFork();
    const watching = await watch({ rpcUrls: [first.url], depth: 3 });
    await watching.catchUp();
    const wallets = [newAddress(), newAddress()] as const;
    const ids = [
      await watching.addWallet(wallets[0]),
      await watching.addWallet(wallets[1]),
    ] as const;
    await anvil.sendNative({ from: payer, to: wallets[0], amountAtomic: 5n });
    await fork.sendNative({ from: other, to: wallets[1], amountAtomic: 7n });
    let turn = 0;
    first.misbehave(async (_, forward) => {
      turn += 1;
      return { result: await forward(turn % 5 < 2 ? fork.rpcUrl : anvil.rpcUrl) };
    });
    for (let round = 0; round < 6; round += 1) {
      await anvil.mine(1);
      await fork.mine(1);
      await struggle(watching, 3);
    }
    first.misbehave(null);
    await anvil.mine(4);
    await struggle(watching, 3);
    await watching.catchUp();
    expect((await watching.balances(ids[0]))["ETH"]).toBe(5n);
    expect((await watching.balances(ids[1]))["ETH"]).toBe(0n);
    const [kept] = await watching.history(ids[0]);
    expect(kept?.status).toBe("completed");
    const gone = await statusesOf(watching, ids[1]);
    expect(gone.every((status) => status === "dropped" || status === "reversed")).toBe(true);
    const notified = await watching.db.notification.findMany({ orderBy: { createdAt: "asc" } });
    const perRound = notified.map((one) => `${one.transactionId} ${one.round} ${one.state}`);
    expect(new Set(perRound).size).toBe(perRound.length);
  });

  it("that asks for fewer requests gets fewer, and more again when it stops answering 429", async () => {
    const watching = await watch({ rpcUrls: [first.url] });
    await watching.catchUp();
    await anvil.mine(60);
    let asked = 0;
    first.misbehave(() => {
      asked += 1;
      return asked % 20 === 0 ? null : { status: 429 };
    });
    const troubles = await struggle(watching, 8);
    expect(troubles.length).toBeGreaterThan(0);
    const rate = () => watching.chain.status().endpoints[0]?.requestsPerSecond ?? null;
    const slowed = rate();
    expect(slowed).not.toBeNull();
    first.misbehave(null);
    await anvil.mine(150);
    await watching.catchUp();
    expect(rate() ?? Number.POSITIVE_INFINITY).toBeGreaterThan(slowed ?? 0);
    const position = await watching.ledger.readPosition(watching.chainName);
    expect(position?.number).toBe(BigInt(await anvil.blockNumber()));
  });

  it("without eth_getBlockReceipts is asked for them one by one, and each call is counted", async () => {
    let asked = 0;
    first.misbehave(({ method }) => {
      asked += 1;
      return method === "eth_getBlockReceipts"
        ? { error: { code: -32_601, message: "Method not found" } }
        : null;
    });
    const watching = await watch({ rpcUrls: [first.url] });
    await watching.catchUp();
    const id = await watching.addWallet(payer);
    await anvil.sendNative({ from: payer, to: newAddress(), amountAtomic: 5n });
    await watching.catchUp();
    expect(await watching.history(id)).toHaveLength(2);
    expect(asked).toBeGreaterThan(5);
    const [shown] = watching.chain.status().endpoints;
    expect(shown).toMatchObject({ calls: asked, charged: null });
    expect(shown?.shown).toEqual({
      can: ["traces", "proofs"],
      cannot: ["block_receipts", "announcements"],
      logBlocks: null,
    });
  });
});
