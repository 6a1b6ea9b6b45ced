import { inject } from "vitest";
import { type AnvilOptions, startAnvil } from "./chain/anvil.ts";
import { startReceiver } from "./delivery/receiver.ts";
import { eachTest } from "./each-test.ts";
import { createCheckedDatabase } from "./ledger/checked-database.ts";
import { type Deployment, deploymentOf } from "./process/deployment.ts";
import { createResources } from "./resources.ts";

export type World = Awaited<ReturnType<typeof startWorld>>;

/**
 * What a daemon meets outside: a chain, a database, a business's receiver and the shared Redis.
 * `end` stops it all.
 */
export async function startWorld(options: AnvilOptions = {}) {
  const { open, end } = createResources();
  try {
    const anvil = await open(startAnvil(options), (one) => one.stop());
    const database = await open(createCheckedDatabase(), (one) => one.drop());
    const receiver = await open(startReceiver(), (one) => one.stop());
    return { anvil, database, receiver, redisUrl: inject("redisUrl"), end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** A world for each test, see eachTest. */
export function eachWorld(): World {
  return eachTest(startWorld, (world) => world.end());
}

/**
 * A deployment that watches the world's chain and may notify its receiver. `redisUrl` null: its
 * queue is in PostgreSQL.
 */
export function deploymentIn(
  world: World,
  {
    confirmations = 1,
    redisUrl = world.redisUrl,
  }: { confirmations?: number; redisUrl?: string | null } = {},
): Deployment {
  return deploymentOf({
    databaseUrl: world.database.url,
    redisUrl,
    chains: [{ name: "anvil", rpcUrl: world.anvil.rpcUrl, confirmations }],
    receiverPorts: [world.receiver.port],
  });
}
