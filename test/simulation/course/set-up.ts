import { createBusinesses } from "../businesses.ts";
import { makeTransaction } from "../chain/traffic.ts";
import { createDeliveries } from "../delivery/deliveries.ts";
import { createFakeLeases } from "../fake-lease.ts";
import { createOperator } from "../operator.ts";
import { createConsumers } from "../streams/consumers.ts";
import { createWebhooks } from "../streams/webhooks.ts";
import { createWatcherProcess } from "../watchers.ts";
import type { World } from "../world.ts";

/** All who act in a run. */
export type Actors = Awaited<ReturnType<typeof setUp>>;

export async function setUp(world: World) {
  const { profile, scheduler } = world;
  scheduler.note(`profile ${JSON.stringify(profile)}`);
  scheduler.note(`cast ${JSON.stringify(world.cast)}`);
  const traffic = world.random("traffic");
  const isTopOnly = world.cast.tracing === "off";
  const mine = (limit: number) => {
    for (let count = traffic.int(0, profile.transactionsPerBlock); count > 0; count -= 1)
      world.chain.submit(makeTransaction(traffic, world.keccak, { isTopOnly }));
    const { number, hash } = world.chain.mine(limit).header;
    scheduler.note(`the chain has block ${number} ${hash.slice(0, 8)}`);
  };
  for (let count = profile.blocksBefore; count > 0; count -= 1) mine(profile.transactionsPerBlock);
  await world.tellTime();
  const operator = createOperator(world);
  await operator.setUp();
  const { ways } = world;
  const businesses =
    ways === null
      ? createBusinesses(world, operator.businessIds)
      : createWebhooks(world, ways, operator.businessIds);
  await businesses.setUp();
  const consumers = ways === null ? null : createConsumers(world, ways, operator.businessIds);
  const leaseOf = createFakeLeases({
    scheduler,
    random: world.random("lease"),
    wrong: () => (world.isHealed ? 0 : profile.leaseWrong),
  });
  const watchers = Array.from({ length: profile.watchers }, (_, index) =>
    createWatcherProcess(world, { index, leaseOf }),
  );
  const deliveries = createDeliveries(world);
  const kill = () => {
    for (const watcher of watchers) watcher.die();
    deliveries.killAll();
    consumers?.killAll();
  };
  return { mine, operator, businesses, consumers, watchers, deliveries, kill };
}
