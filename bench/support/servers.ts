import { startOwnRedis } from "../../test/support/delivery/redis.ts";
import { openCluster } from "../../test/support/ledger/cluster.ts";
import { createResources } from "../../test/support/resources.ts";

export type Servers = Awaited<ReturnType<typeof openServers>>;

/**
 * A PostgreSQL and a Redis of the benchmark's own. Whoever opens them ends them.
 * @param opening of the PostgreSQL, where it has settings of its own
 */
export async function openServers(opening = openCluster) {
  const { open, end } = createResources();
  try {
    const cluster = await open(opening(), (one) => one.end());
    const redis = await open(startOwnRedis(), (one) => one.stop());
    return { cluster, redis, end };
  } catch (error) {
    await end();
    throw error;
  }
}
