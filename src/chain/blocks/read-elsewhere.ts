import { faultIn } from "../../domain/fault.ts";
import type { LoadedBlock } from "../../domain/money/movement.ts";
import type { Clock } from "../../runtime/clock.ts";
import { type Endpoint, isGoneIn } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import type { Cryptography } from "../proof/hashing/cryptography.ts";
import { type LoadRules, readBlock } from "./asking/load-block.ts";
import { assemble } from "./assemble.ts";
import { isAway } from "./witness.ts";

type Tools = { cryptography: Cryptography; rules: LoadRules };

type Asking = {
  pool: Pick<EndpointPool, "inOrder">;
  clock: Clock;
  admit: (endpoint: Endpoint) => Promise<void>;
};

/**
 * A block that has been read, with its traces, as endpoints of other hosts show it: one for each host, proved as the first.
 * Null: it does not answer now, or has another block. A host that does not trace, or no longer has the traces, is left out.
 */
export async function* readElsewhere(
  { pool, clock, admit }: Asking,
  first: LoadedBlock,
  with_: Tools,
): AsyncGenerator<LoadedBlock | null> {
  const hosts = new Set([first.host]);
  for (const endpoint of pool.inOrder()) {
    const { host, learned } = endpoint;
    if (hosts.has(host) || with_.rules.tracing === "off" || learned.tracing === "off") continue;
    hosts.add(host);
    const read = isAway(endpoint, clock)
      ? null
      : await tryReading({ endpoint, admit }, first, with_);
    if (read !== "untraced") yield read;
  }
}

async function tryReading(
  { endpoint, admit }: Pick<Asking, "admit"> & { endpoint: Endpoint },
  { header }: LoadedBlock,
  with_: Tools,
): Promise<LoadedBlock | "untraced" | null> {
  try {
    await admit(endpoint);
    const parts = await readBlock(endpoint, header.number, with_.rules);
    if (parts.tracing === "off") return "untraced";
    return parts.block.hash === header.hash ? assemble(parts, with_) : null;
  } catch (error) {
    if (faultIn(error) === undefined) throw error;
    return isGoneIn(error) ? "untraced" : null;
  }
}
