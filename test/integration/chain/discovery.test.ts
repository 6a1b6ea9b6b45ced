import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readStatus } from "../../../src/ledger/chain/chain-status.ts";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { type RpcProxy, startRpcProxy } from "../../support/chain/rpc-proxy.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";
import { keepingLog } from "../../support/fault-steps.ts";

/** Of a chain that no profile names. */
const chainId = 987_654;

const [payer, stranger] = ANVIL_ACCOUNTS;

let anvil: Anvil;
let proxy: RpcProxy;
let watched: WatchedChain;
let kept: ReturnType<typeof keepingLog>;

beforeEach(async () => {
  anvil = await startAnvil({ args: ["--chain-id", String(chainId)] });
  proxy = await startRpcProxy(anvil.rpcUrl);
  kept = keepingLog();
  watched = await watchChain({ rpcUrl: proxy.url, depth: 1, chainId, log: kept.log });
  await watched.catchUp();
});

afterEach(async () => {
  await watched.stop();
  await proxy.stop();
  await anvil.stop();
});

const found = () => watched.chain.status().discovered;

describe("a chain that no table names", () => {
  it("is found out over its first 64 blocks, and that is logged", async () => {
    expect(found()).toBeNull();
    await anvil.mine(3);
    await watched.catchUp();
    expect(found()).toEqual({
      blocks: 3,
      isComplete: false,
      header: true,

      transactions: null,
      receipts: null,
    });
    await anvil.sendNative({ from: payer, to: stranger, amountAtomic: 1n });
    await anvil.mine(70);
    await watched.catchUp();
    const complete = {
      blocks: 64,
      isComplete: true,
      header: true,

      transactions: true,
      receipts: "root",
    };
    expect(found()).toEqual(complete);
    expect(kept.lines.filter(({ message }) => message === "chain.discovered")).toEqual([
      { message: "chain.discovered", fields: { chainId, ...complete } },
    ]);
  });

  it("whose headers hash in another way is said to", async () => {
    proxy.misbehave(async ({ method, params }, forward) => {
      if (method !== "eth_getBlockByNumber" || params[1] !== true) return null;
      return { result: { ...((await forward()) as object), extraData: "0x7777" } };
    });
    await anvil.sendNative({ from: payer, to: stranger, amountAtomic: 1n });
    await watched.catchUp();
    expect(found()).toMatchObject({ header: false, transactions: true, receipts: "root" });
  });

  it("stays known to the ledger when another process has found out less", async () => {
    await anvil.sendNative({ from: payer, to: stranger, amountAtomic: 1n });
    await watched.catchUp();
    const { ledger, chainName } = watched;
    const reading = { ...watched.chain.status(), held: null };
    await ledger.writeReading(chainName, reading);
    await ledger.writeReading(chainName, { ...reading, discovered: null });
    const { chains } = await readStatus(watched.db, Date.now());
    expect(chains[0]?.reading?.discovered).toEqual(reading.discovered);
    expect(reading.discovered?.receipts).toBe("root");
  });
});
