import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { payer } from "../../support/chain/cast.ts";
import { type RpcProxy, startRpcProxy } from "../../support/chain/rpc-proxy.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";
import { keepingLog } from "../../support/fault-steps.ts";
import { waitFor } from "../../support/wait-for.ts";

const receiptsMethod = "eth_getBlockReceipts";
const tracesMethod = "debug_traceBlockByHash";

describe("a head that an endpoint has announced", () => {
  let anvil: Anvil;
  let proxy: RpcProxy;
  let watched: WatchedChain;
  let kept: ReturnType<typeof keepingLog>;
  let walletId: string;
  const wallet = `0x${randomBytes(20).toString("hex")}`;

  beforeEach(async () => {
    anvil = await startAnvil({});
    proxy = await startRpcProxy(anvil.rpcUrl);
    kept = keepingLog();
    watched = await watchChain({ rpcUrl: proxy.url, depth: 1, log: kept.log });
    await watched.catchUp();
    walletId = await watched.addWallet(wallet);
    await anvil.mine(1);
    await watched.catchUp();
  });

  afterEach(async () => {
    await watched.stop();
    await proxy.stop();
    await anvil.stop();
  });

  const send = () => anvil.sendNative({ from: payer, to: wallet, amountAtomic: 7n });
  const isWholeBlock = (call: { method: string; params: unknown[] }) =>
    call.method === "eth_getBlockByNumber" && call.params[1] === true;

  it("has its receipts and traces asked for beside the block", async () => {
    await send();
    const asked = proxy.calls.length;
    proxy.misbehave(async (call) => {
      if (!isWholeBlock(call)) return null;
      // The block is not announced before the others have been asked for.
      const hasBoth = () =>
        [receiptsMethod, tracesMethod].every((one) => proxy.calls.slice(asked).includes(one));
      await waitFor(hasBoth, { what: "both questions", timeoutMs: 5_000 });
      return null;
    });
    await watched.catchUp();
    expect((await watched.balances(walletId))["ETH"]).toBe(7n);
    const questions = proxy.calls.slice(asked);
    expect(questions.filter((one) => one === receiptsMethod)).toHaveLength(1);
    expect(questions.filter((one) => one === tracesMethod)).toHaveLength(1);
  });

  it("without transactions is asked for nothing else", async () => {
    const asked = proxy.calls.length;
    await anvil.mine(1);
    await watched.catchUp();
    expect(proxy.calls.slice(asked)).not.toContain(receiptsMethod);
    expect(proxy.calls.slice(asked)).not.toContain(tracesMethod);
  });

  it("whose receipts are not there yet is asked for them again, and no endpoint is blamed", async () => {
    await send();
    let isFirst = true;
    proxy.misbehave(({ method }) => {
      if (method !== receiptsMethod || !isFirst) return null;
      isFirst = false;
      return { result: null };
    });
    await watched.catchUp();
    expect((await watched.balances(walletId))["ETH"]).toBe(7n);
    expect(kept.lines.map(({ message }) => message)).not.toContain("endpoint.refused");
  });

  it("counts for nothing where the block turns out to be another", async () => {
    await send();
    let isFirst = true;
    proxy.misbehave(async ({ method, params }, forward) => {
      if (method !== "eth_getBlockByNumber" || params[0] !== "latest" || !isFirst) return null;
      isFirst = false;
      const head = (await forward()) as Record<string, unknown>;
      return { result: { ...head, hash: `0x${"ab".repeat(32)}` } };
    });
    await watched.catchUp();
    expect((await watched.balances(walletId))["ETH"]).toBe(7n);
  });

  it("is not asked for again by the watcher that is at its parent", async () => {
    const parent = await watched.chain.head();
    await send();
    const head = await watched.chain.head();
    const asked = proxy.calls.length;
    const elsewhere = { number: parent.number, hash: head.hash };
    expect(watched.chain.loadAnnounced(elsewhere, null)).toBeNull();
    expect(proxy.calls).toHaveLength(asked);
    const block = await watched.chain.loadAnnounced(parent, null);
    expect(block?.header.hash).toBe(head.hash);
    expect(proxy.calls.slice(asked).filter((one) => one === "eth_getBlockByNumber")).toHaveLength(
      1,
    );
  });

  it("that cannot be read is read later, in order", async () => {
    const parent = await watched.chain.head();
    await send();
    await watched.chain.head();
    proxy.misbehave((call) => (isWholeBlock(call) ? { result: null } : null));
    expect(await watched.chain.loadAnnounced(parent, null)).toBeNull();
    expect(watched.chain.loadAnnounced(parent, null)).toBeNull();
    await expect(watched.chain.loadBlock(parent.number + 1n)).rejects.toMatchObject({
      code: "rpc_inconsistent",
    });
  });
});
