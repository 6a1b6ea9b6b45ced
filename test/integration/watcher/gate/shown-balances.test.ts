import { afterEach, describe, expect, it } from "vitest";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { eachProxiedChain } from "../../../support/chain/each-chain.ts";
import { type RpcProxy, startRpcProxy } from "../../../support/chain/rpc-proxy.ts";
import { type WatchedChain, watchChain } from "../../../support/chain/watched-chain.ts";
import { struggle } from "../../../support/fault-steps.ts";
import { createSkippingClock } from "../../../support/skipping-clock.ts";

const unsupported = { error: { code: -32_601, message: "method not found" } };

const { anvil, proxy } = eachProxiedChain();
let second: RpcProxy;
let watched: WatchedChain;

afterEach(async () => {
  await watched.stop();
  await second.stop();
});

/** Neither offers proofs; `isSilent`: the second does not answer for balances either. */
function offer(isSilent: boolean): void {
  proxy.misbehave(({ method }) => (method === "eth_getProof" ? unsupported : null));
  second.misbehave(({ method }) => {
    if (method === "eth_getProof") return unsupported;
    return isSilent && method === "eth_getBalance" ? "drop" : null;
  });
}

describe("balances for which one of two hosts alone answers, without a proof", () => {
  it("open no balance and confirm no coin, until the other says the same", async () => {
    second = await startRpcProxy(anvil.rpcUrl);
    const clock = createSkippingClock();
    watched = await watchChain({
      ...{ rpcUrl: proxy.url, rpcUrls: [proxy.url, second.url], depth: 2, clock },
      timeoutMs: 1_000,
    });
    await watched.catchUp();
    offer(true);
    const walletId = await watched.addWallet(wallet);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    await anvil.mine(3);
    await struggle(watched, 2);
    const balance = () => watched.db.balance.findFirstOrThrow({ where: { walletId } });
    expect((await balance()).opening).toBeNull();
    expect((await watched.history(walletId)).map(({ status }) => status)).toEqual(["pending"]);
    expect(await watched.db.notification.count()).toBe(0);

    offer(false);
    clock.skip(120_000);
    await struggle(watched, 3);
    expect((await balance()).opening?.toFixed()).toBe("0");
    expect((await watched.history(walletId)).map(({ status }) => status)).toEqual(["completed"]);
    expect(await watched.db.notification.count()).toBe(1);
  });
});
