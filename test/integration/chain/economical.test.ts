import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ANVIL_ACCOUNTS, type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { type RpcProxy, startRpcProxy } from "../../support/chain/rpc-proxy.ts";
import { deployToken, type TestToken } from "../../support/chain/token.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";
import { waitFor } from "../../support/wait-for.ts";

const [payer, stranger] = ANVIL_ACCOUNTS;

let anvil: Anvil;
let token: TestToken;
let proxy: RpcProxy;
let watched: WatchedChain;
let walletId: string;
/** Every question since the wallet is watched, `latest` by its own name. */
let asked: string[];
const wallet = `0x${randomBytes(20).toString("hex")}`;

beforeEach(async () => {
  anvil = await startAnvil({});
  token = await deployToken(anvil);
  proxy = await startRpcProxy(anvil.rpcUrl);
  asked = [];
});

afterEach(async () => {
  await watched.stop();
  await proxy.stop();
  await anvil.stop();
});

async function watch(options: { reading: "economical" | "full"; tracing?: "off"; url?: string }) {
  const { url = proxy.url, ...reading } = options;
  watched = await watchChain({ rpcUrl: url, depth: 1, tokens: [token.asset], ...reading });
  await watched.catchUp();
  walletId = await watched.addWallet(wallet);
  await anvil.mine(1);
  await watched.catchUp();
  proxy.misbehave(({ method, params }) => {
    asked.push(params[0] === "latest" ? `${method} latest` : method);
    return null;
  });
}

/** A contract of no interest comes to be, and logs: the bloom is not empty. */
const logOfOthers = () => anvil.send({ from: stranger, data: "0x60006000a000" });

/** Without the questions for the head. */
const askedOfBlocks = () => asked.filter((method) => !method.endsWith(" latest"));

describe("economical reading", () => {
  it("asks for the block alone where nothing of ours can be in it", async () => {
    await watch({ reading: "economical" });
    await logOfOthers();
    await watched.catchUp();
    // With the head itself.
    expect(new Set(asked)).toEqual(new Set(["eth_getBlockByNumber latest"]));
  });

  it("asks for nothing more where an empty bloom shows that there are no logs", async () => {
    await watch({ reading: "economical" });
    await anvil.sendNative({ from: payer, to: stranger, amountAtomic: 5n });
    await watched.catchUp();
    expect(new Set(asked)).toEqual(new Set(["eth_getBlockByNumber latest"]));
  });

  it("asks nothing until the next block is due, by the times of the last ones", async () => {
    await watch({ reading: "economical" });
    await anvil.rpc("anvil_mine", "0x6", "0xe10");
    await watched.catchUp();
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    asked.length = 0;
    await watched.catchUp();
    expect(asked).toEqual([]);
    // A process that starts anew knows of no times.
    watched.restart();
    await watched.catchUp();
    expect(asked).toContain("eth_getBlockByNumber latest");
  });

  it("finds coin and tokens that come and go, and what a send costs", async () => {
    await watch({ reading: "economical" });
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 10n ** 18n });
    await token.mint(wallet, 5n);
    await anvil.rpc("anvil_impersonateAccount", wallet);
    await anvil.sendNative({ from: wallet, to: stranger, amountAtomic: 7n });
    await watched.catchUp();
    await watched.balancesStep();
    const coin = await anvil.balance(wallet);
    expect(await watched.balances(walletId)).toEqual({ ETH: coin, TST: 5n });
    expect(asked).not.toContain("debug_traceBlockByHash");
  });

  it("looks for few wallets themselves: a token that others move costs nothing", async () => {
    await watch({ reading: "economical" });
    await token.mint(stranger, 5n);
    await watched.catchUp();
    expect(askedOfBlocks()).toEqual([]);
  });

  it("asks for a block anew where what came with the head does not hold", async () => {
    await watch({ reading: "economical" });
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    proxy.misbehave(async ({ params }, forward) => {
      if (params[0] !== "latest") return null;
      return { result: { ...((await forward()) as object), transactions: [] } };
    });
    await expect(watched.catchUp()).rejects.toMatchObject({ code: "rpc_inconsistent" });
    proxy.misbehave(null);
    await watched.catchUp();
    await watched.balancesStep();
    expect(await watched.balances(walletId)).toEqual({ ETH: 5n, TST: 0n });
  });

  it("says what it gives up", async () => {
    await watch({ reading: "economical" });
    const { reading, givenUp } = watched.chain.status();
    expect(reading).toBe("economical");
    expect(givenUp).toEqual(["traces", "due", "waits"]);
  });

  it("reads a block whole that a wallet added meanwhile was paid in", async () => {
    await watch({ reading: "economical" });
    const added = `0x${randomBytes(20).toString("hex")}`;
    await anvil.sendNative({ from: payer, to: added, amountAtomic: 9n });
    const later: string[] = [];
    proxy.misbehave(async ({ method }) => {
      // It is added once its block has been read for a list without it.
      if (method === "eth_getBlockByNumber" && later.length === 0)
        later.push(await watched.addWallet(added));
      return null;
    });
    await watched.catchUp();
    await watched.balancesStep();
    const [id = ""] = later;
    expect(await watched.history(id)).toMatchObject([{ amountAtomic: 9n, status: "completed" }]);
  });
});

describe("full reading of a chain without traces", () => {
  it("asks for receipts only where something of ours may be", async () => {
    await watch({ reading: "full", tracing: "off" });
    await logOfOthers();
    await watched.catchUp();
    expect(new Set(askedOfBlocks())).toEqual(new Set(["eth_getBlockByNumber"]));
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 3n });
    await watched.catchUp();
    expect(asked).toContain("eth_getBlockReceipts");
    expect((await watched.balances(walletId))["ETH"]).toBe(3n);
  });
});

describe("a websocket that announces", () => {
  it("is not asked to, by economical reading: its questions go through it all the same", async () => {
    await watch({ reading: "economical", url: proxy.wsUrl });
    const stop = watched.chain.onAnnounced(() => {});
    try {
      await anvil.mine(3);
      await watched.catchUp();
    } finally {
      stop();
    }
    expect(new Set(asked)).toEqual(
      new Set(["eth_getBlockByNumber latest", "eth_getBlockByNumber"]),
    );
    expect(watched.chain.announcedHead()).toBeNull();
  });

  it("is not asked for the head", async () => {
    await watch({ reading: "full", url: proxy.wsUrl });
    const stop = watched.chain.onAnnounced(() => {});
    try {
      await waitFor(
        async () => {
          await anvil.mine(1);
          return watched.chain.announcedHead() !== null;
        },
        { what: "the first announcement", timeoutMs: 10_000 },
      );
      await watched.catchUp();
      for (let block = 0; block < 5; block += 1) {
        await anvil.mine(1);
        const number = BigInt(await anvil.rpc<string>("eth_blockNumber"));
        await waitFor(() => watched.chain.announcedHead()?.number === number, {
          what: "the announcement",
          timeoutMs: 10_000,
        });
        asked.length = 0;
        // It may be held for a moment, to be written with the next one.
        await waitFor(
          async () => {
            await watched.catchUp();
            const { position } = await watched.ledger.readChainState(watched.chainName);
            return position?.number === number;
          },
          { what: "the block to be written", timeoutMs: 10_000 },
        );
        expect(asked).not.toContain("eth_getBlockByNumber latest");
      }
    } finally {
      stop();
    }
  });
});
