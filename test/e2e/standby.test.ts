import { expect, it } from "vitest";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { startRpcProxy } from "../support/chain/rpc-proxy.ts";
import { createCustomer, verified } from "../support/process/customer.ts";
import { spawnDaemon } from "../support/process/daemon.ts";
import { createResources } from "../support/resources.ts";
import { waitFor } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();
const timeoutMs = 60_000;

it("who stands by leaves the endpoints alone, and goes on with the chain of one that is killed", async ({
  onTestFinished,
}) => {
  const { anvil, receiver } = world;
  const { open, end } = createResources();
  onTestFinished(end);
  const deployment = deploymentIn(world);
  const [chain] = deployment.settings.chains;
  /** A process of its own, with an endpoint that nobody else asks. */
  const start = async () => {
    const proxy = await open(startRpcProxy(anvil.rpcUrl), (one) => one.stop());
    const chains = chain === undefined ? [] : [{ ...chain, rpcUrl: proxy.wsUrl }];
    const settings = { ...deployment.settings, chains };
    const daemon = await open(spawnDaemon({ ...deployment, settings }), (one) => one.kill());
    return { proxy, daemon };
  };
  const working = await start();
  const of = { blockchain: "anvil", addresses: [wallet], receiver };
  const customer = await createCustomer({ ...working.daemon, ...of });
  const pay = (amountAtomic: bigint) => anvil.sendNative({ from: payer, to: wallet, amountAtomic });
  await pay(1n);
  await receiver.waitForCount(1, timeoutMs);

  const waiting = await start();
  // At its start it looks whether its endpoint is of this chain.
  await waitFor(() => waiting.proxy.connections() === 0, { what: "no connection", timeoutMs });
  const asked = waiting.proxy.calls.length;
  for (let amount = 2n; amount <= 6n; amount += 1n) {
    await pay(amount);
    await receiver.waitForCount(Number(amount), timeoutMs);
    expect(waiting.proxy.connections()).toBe(0);
  }
  expect(waiting.proxy.calls.slice(asked)).toEqual([]);
  expect(working.proxy.connections()).toBeGreaterThan(0);

  await working.daemon.kill();
  await pay(7n);
  await receiver.waitForCount(7, timeoutMs);
  expect(waiting.proxy.connections()).toBeGreaterThan(0);
  const ids = receiver.requests.map((request) => verified(request, customer.secret).id);
  expect(new Set(ids).size).toBe(7);
});
