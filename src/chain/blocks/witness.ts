import type { Position } from "../../domain/chain/block.ts";
import type { Witness } from "../../domain/watch/chain-source.ts";
import type { Clock } from "../../runtime/clock.ts";
import { type Endpoint, failureKindIn } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import { parseHeader } from "../rpc/rpc-block.ts";
import { askBlock } from "./load-block.ts";

/**
 * How long to wait for an endpoint that does not answer before the others confirm without it: longer than a restart
 * behind a load balancer takes, and short against the outages for which there are several endpoints. One that answers
 * and disagrees is never passed over.
 */
const absentAfterMs = 15_000;

/** Asks the other endpoints in turn; the first that answers is the witness. */
export async function askWitness(
  pool: EndpointPool,
  number: bigint,
  options: { clock: Clock; admit: (endpoint: Endpoint) => Promise<void> },
): Promise<Witness> {
  const { clock, admit } = options;
  const others = pool.others();
  for (const endpoint of others) {
    try {
      await admit(endpoint);
      return { kind: "seen", position: await positionAt(endpoint, number) };
    } catch {
      // The next one may answer; the failure of this one is in its health.
    }
  }
  const now = clock.now();
  const isAbsent = (endpoint: Endpoint) => {
    const sinceMs = endpoint.record.silentSinceMs();
    return sinceMs !== null && now - sinceMs >= absentAfterMs;
  };
  return others.every(isAbsent) ? { kind: "alone" } : { kind: "silent" };
}

async function positionAt(endpoint: Endpoint, number: bigint): Promise<Position> {
  if (endpoint.head !== null && endpoint.head > number) {
    const known = await askKnown(endpoint, number);
    if (known !== null) return known;
  }
  const head = parseHeader(await askBlock(endpoint, "latest", false));
  endpoint.head = head.number;
  endpoint.noteHead(head);
  if (head.number <= number) return head;
  return parseHeader(await askBlock(endpoint, `0x${number.toString(16)}`, false));
}

/** A block below the last known head of the endpoint, in one question; null where the endpoint no longer has it. */
async function askKnown(endpoint: Endpoint, number: bigint): Promise<Position | null> {
  try {
    const block = parseHeader(await askBlock(endpoint, `0x${number.toString(16)}`, false));
    return block.number === number ? block : null;
  } catch (error) {
    if (failureKindIn(error) !== null) throw error;
    return null;
  }
}
