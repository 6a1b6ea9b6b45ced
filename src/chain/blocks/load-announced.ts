import type { Position } from "../../domain/chain/block.ts";
import { faultIn } from "../../domain/fault.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";

/**
 * Reads the block after a position where the leading endpoint has announced it, so that its head
 * need not be asked for first. Null where the block has not been announced (nothing is asked then)
 * or could not be read. The block is then asked for by its height, of every endpoint, which shows
 * why. `load` verifies the endpoint and reads the block of that height from it.
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
    // The same hint is not followed twice.
    if (endpoint.announced === announced) endpoint.announced = null;
    return null;
  });
}
