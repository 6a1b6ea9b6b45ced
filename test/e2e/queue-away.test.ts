import { expect, it, onTestFinished } from "vitest";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { startOwnRedis } from "../support/delivery/redis.ts";
import { hasRedis } from "../support/delivery/with-redis.ts";
import { createCustomer, verified } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();

it.runIf(hasRedis)("one process goes on to notify while Redis is away", async () => {
  const { anvil, receiver } = world;
  const redis = await startOwnRedis();
  onTestFinished(() => redis.stop());
  const deployment = deploymentIn(world, { confirmations: 1, redisUrl: redis.url });
  const daemon = await startDaemon(deployment);
  onTestFinished(() => daemon.stop());
  const customer = await createCustomer({
    ...daemon,
    blockchain: "anvil",
    addresses: [wallet],
    receiver,
  });
  await redis.kill();
  for (const amountAtomic of [5n, 7n]) {
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic });
    await anvil.mine(1);
  }
  await receiver.waitForCount(2);
  const received = receiver.requests.map((request) => verified(request, customer.secret));
  expect(new Set(received.map(({ id }) => id)).size).toBe(2);
});
