import type { Clock } from "../../runtime/clock.ts";
import type { Endpoint } from "./endpoint.ts";
import type { EndpointPool } from "./endpoint-pool.ts";

/**
 * Other endpoints are asked this often, in ms. It is often enough to notice that the leader stands
 * still, at one small request each.
 */
const probeEveryMs = 2_000;

/**
 * Asks all endpoints except the leader for their heads, at most every 2 s. Failures go into the
 * endpoint's record.
 */
export function createHeadProbe(
  pool: EndpointPool,
  clock: Clock,
  askHead: (endpoint: Endpoint) => Promise<void>,
): () => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.elapsed();
    if (now - lastMs < probeEveryMs) return;
    lastMs = now;
    const others = pool.others().filter((one) => one.record.benchedUntilMs() <= now);
    for (const endpoint of others) askHead(endpoint).catch(() => {});
  };
}
