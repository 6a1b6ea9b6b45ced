import type { Position } from "../../domain/chain/block.ts";
import { faultIn } from "../../domain/fault.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";

/**
 * Reads the block after a position if the leader has announced it. That saves the question for the
 * head. Null: the block was not announced, and nothing was asked, or it could not be read. Then the
 * caller asks every endpoint for it by height, which shows the cause. `load` verifies the endpoint,
 * and reads the block of that height from it.
 */
export function loadAnnounced<Block>(
  from: { pool: EndpointPool; clock: Clock; probeHeads: () => void },
  after: Position,
  load: (endpoint: Endpoint, number: bigint) => Promise<Block>,
): Promise<Block | null> | null {
  const { pool, clock, probeHeads } = from;
  const endpoint = pool.leader();
  const { announced } = endpoint;
  if (announced?.number !== after.number + 1n || announced.parentHash !== after.hash) return null;
  if (endpoint.record.benchedUntilMs() > clock.elapsed()) return null;
  endpoint.head = announced.number;
  probeHeads();
  pool.failOver();
  if (pool.leader() !== endpoint) return null;
  return load(endpoint, announced.number).catch((error: unknown) => {
    if (faultIn(error) === undefined) throw error;
    // The hint is used once.
    if (endpoint.announced === announced) endpoint.announced = null;
    return null;
  });
}
