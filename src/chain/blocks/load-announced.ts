import type { Position } from "../../domain/chain/block.ts";
import { faultIn } from "../../domain/fault.ts";
import type { LoadedBlock } from "../../domain/money/movement.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";

/**
 * The block after a position where the leading endpoint has told of it: its head need not be asked for first. Null where
 * it has not, and then nothing is asked; or where the block could not be had so: whoever asks in order is told why, of
 * every endpoint. `load` admits the endpoint and reads the block of that height from it.
 */
export function loadAnnounced(
  from: { pool: EndpointPool; clock: Clock; survey: { look: () => void } },
  after: Position,
  load: (endpoint: Endpoint, number: bigint) => Promise<LoadedBlock>,
): Promise<LoadedBlock | null> | null {
  const { pool, clock, survey } = from;
  const endpoint = pool.leader();
  const { announced } = endpoint;
  if (announced?.number !== after.number + 1n || announced.parentHash !== after.hash) return null;
  if (endpoint.record.benchedUntilMs() > clock.now()) return null;
  endpoint.head = announced.number;
  survey.look();
  pool.leaveBehind();
  if (pool.leader() !== endpoint) return null;
  return load(endpoint, announced.number).catch((error: unknown) => {
    if (faultIn(error) === undefined) throw error;
    // Not a second time by the same hint.
    if (endpoint.announced === announced) endpoint.announced = null;
    return null;
  });
}
