import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { payer, wallet } from "../../support/chain/cast.ts";
import { type WatchedChain, watchChain } from "../../support/chain/watched-chain.ts";
import { fastClock, struggle } from "../../support/fault-steps.ts";
import { startTcpProxy, type TcpProxy } from "../../support/process/tcp-proxy.ts";
import { waitFor } from "../../support/wait-for.ts";

describe("a websocket endpoint", () => {
  let anvil: Anvil;
  let proxy: TcpProxy;
  let watched: WatchedChain;
  let wakes = 0;
  let stopListening = () => {};

  beforeEach(async () => {
    anvil = await startAnvil({});
    proxy = await startTcpProxy(anvil.port);
    const url = `ws://127.0.0.1:${proxy.port}`;
    // On this clock a request has half a second, and a heartbeat comes five times a second.
    const clock = fastClock(50);
    watched = await watchChain({ rpcUrl: url, depth: 1, clock, timeoutMs: 25_000 });
    wakes = 0;
    stopListening = watched.chain.onAnnounced(() => {
      wakes += 1;
    });
  });

  afterEach(async () => {
    stopListening();
    await watched.stop();
    await proxy.stop();
    await anvil.stop();
  });

  const announced = async (what: string) => {
    await waitFor(
      async () => {
        const before = wakes;
        await anvil.mine(1);
        return waitFor(() => wakes > before, { what, timeoutMs: 500 });
      },
      { what, timeoutMs: 20_000 },
    );
  };

  it("announces blocks and answers for them", async () => {
    await announced("a block to be announced");
    await watched.catchUp();
    const id = await watched.addWallet(wallet);
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });
    // A block is processed once it is announced.
    await waitFor(
      async () => {
        await watched.catchUp();
        return (await watched.history(id)).some(({ status }) => status === "completed");
      },
      { what: "the deposit to be confirmed", timeoutMs: 20_000 },
    );
    expect((await watched.balances(id))["ETH"]).toBe(5n);
  });

  it("that falls silent is noticed and replaced", async () => {
    await announced("a block to be announced");
    await watched.catchUp();
    const connections = proxy.accepted();
    proxy.silence();
    await waitFor(() => proxy.accepted() > connections, {
      what: "another connection",
      timeoutMs: 20_000,
    });
    await announced("a block to be announced on the new connection");
    await anvil.mine(1);
    const newest = BigInt(await anvil.blockNumber());
    await waitFor(
      async () => {
        await struggle(watched, 1);
        return (await watched.ledger.readPosition(watched.chainName))?.number === newest;
      },
      { what: "the newest block to be processed", timeoutMs: 20_000 },
    );
  });
});
