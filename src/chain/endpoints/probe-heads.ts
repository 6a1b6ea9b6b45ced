import type { Clock } from "../../runtime/clock.ts";
import type { Endpoint } from "./endpoint.ts";
import type { EndpointPool } from "./endpoint-pool.ts";

/**
 * Often enough to notice soon that the leader stands still; it costs each other endpoint one small
 * request.
 */
const probeEveryMs = 2_000;

/**
 * Asks the endpoints that do not lead for their heads, at most every two seconds. Failures go into
 * the endpoint's record.
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
