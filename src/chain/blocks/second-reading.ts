import type { Hash } from "../../domain/chain/block.ts";
import type { WitnessPolicy } from "../../domain/chain/confirmation.ts";
import { Fault, faultIn } from "../../domain/fault.ts";
import type { LoadedBlock } from "../../domain/money/movement.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import type { Cryptography } from "../proof/hashing/cryptography.ts";
import { refusedBlock } from "../proof/refuse-block.ts";
import { movesOf } from "./agree.ts";
import { type BlockParts, type LoadRules, readBlock } from "./asking/load-block.ts";
import { assemble } from "./assemble.ts";

type Tools = { cryptography: Cryptography; rules: LoadRules };

/** A block as one endpoint answered it, and what it comes to. */
export type Reading = { endpoint: Endpoint; parts: BlockParts; loaded: LoadedBlock };

type Asking = {
  pool: Pick<EndpointPool, "inOrder" | "hosts">;
  clock: Clock;
  admit: (endpoint: Endpoint) => Promise<void>;
  witness: Pick<WitnessPolicy, "patienceMs" | "mode">;
};

/** A second endpoint has a new block a moment later: it is asked again so often, after so many ms. */
const timesAsked = 8;
const betweenMs = 250;

/** Whether no root shows all movements of a block but those of its traces, which balances are held against. */
export function isUnrooted({ evidence: { logs, others } }: LoadedBlock): boolean {
  return [logs, others].some((proof) => proof === "bloom" || proof === "answered");
}

/**
 * A block whose movements no root shows, once endpoints of two hosts answer the same movements of it. Traces are left out
 * of that: not every endpoint has them. Where the chain has one host alone, or the others have been silent for longer than
 * they are waited for, it is the block as the first one answered it.
 * @throws Fault `rpc_inconsistent` where hosts differ, naming where; `rpc_unavailable` where the others must be waited for
 */
export async function readTwice(
  asking: Asking,
  first: Reading,
  with_: Tools,
): Promise<LoadedBlock> {
  const { pool, clock } = asking;
  if (pool.hosts() === 1 || !isUnrooted(first.loaded)) return first.loaded;
  for (let asked = 1; asked <= timesAsked; asked += 1) {
    const agreed = await askOthers(asking, first, with_);
    if (agreed !== null) return agreed;
    if (maySkip(asking, first.endpoint)) return first.loaded;
    if (asked < timesAsked) await clock.sleep(betweenMs, new AbortController().signal);
  }
  const { number } = first.loaded.header;
  throw new Fault(
    "rpc_unavailable",
    `Block ${number} has no root that shows its movements, and no second endpoint answers for it.`,
  );
}

/** Null: nobody else has that very block. */
async function askOthers(
  { pool, admit }: Asking,
  first: Reading,
  with_: Tools,
): Promise<LoadedBlock | null> {
  const { block } = first.parts;
  const untraced = { ...with_, rules: { ...with_.rules, tracing: "off" } as const };
  const read = [{ ...first, moves: textOf(assemble({ ...first.parts, traces: null }, untraced)) }];
  for (const endpoint of pool.inOrder()) {
    if (read.some((one) => one.endpoint.host === endpoint.host)) continue;
    const next = await tryReading(endpoint, { number: block.number, admit }, untraced);
    if (next === null || next.parts.block.hash !== block.hash) continue;
    const moves = textOf(next.loaded);
    const same = read.find((one) => one.moves === moves);
    if (same === first || same?.endpoint === first.endpoint) return agreed(first.loaded);
    // The first one stands alone against two.
    if (same !== undefined) return agreed(await readWhole(endpoint, block.number, with_));
    read.push({ ...next, moves });
  }
  if (read.length === 1) return null;
  const names = read.map(({ endpoint }) => endpoint.name).join(" and ");
  throw refusedBlock(block, `${names} differ in what moves in it, which no root shows`);
}

/** What is compared: the header as far as it is recorded, and every movement. */
function textOf(loaded: LoadedBlock): string {
  const { number, hash, parentHash, timeMs } = loaded.header;
  return [number, hash, parentHash, timeMs, movesOf(loaded)].join();
}

async function readWhole(endpoint: Endpoint, number: bigint, with_: Tools): Promise<LoadedBlock> {
  return assemble(await readBlock(endpoint, number, with_.rules), with_);
}

/** Null where it does not answer, or with what does not hold. */
async function tryReading(
  endpoint: Endpoint,
  { number, admit }: { number: bigint; admit: Asking["admit"] },
  with_: Tools,
): Promise<Reading | null> {
  try {
    await admit(endpoint);
    const parts = await readBlock(endpoint, number, with_.rules);
    return { endpoint, parts, loaded: assemble(parts, with_) };
  } catch (error) {
    if (faultIn(error) === undefined) throw error;
    return null;
  }
}

/** Whether all others have been silent for longer than they are waited for. */
function maySkip({ pool, clock, witness }: Asking, first: Endpoint): boolean {
  if (witness.mode === "required") return false;
  const others = pool.inOrder().filter(({ host }) => host !== first.host);
  return others.every(({ record }) => {
    const sinceMs = record.silentSinceMs();
    return sinceMs !== null && clock.elapsed() - sinceMs >= witness.patienceMs;
  });
}

function agreed(loaded: LoadedBlock): LoadedBlock {
  const said = { logs: "agreed", others: "agreed", unshownFees: new Set<Hash>() } as const;
  return { ...loaded, evidence: { ...loaded.evidence, ...said } };
}
