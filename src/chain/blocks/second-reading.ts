import type { Hash } from "../../domain/chain/block.ts";
import type { WitnessPolicy } from "../../domain/chain/confirmation.ts";
import { Fault, faultIn } from "../../domain/fault.ts";
import type { LoadedBlock } from "../../domain/money/movement.ts";
import { type AgreementRule, judge } from "../../domain/watch/agreement.ts";
import type { Clock } from "../../runtime/clock.ts";
import { askHosts, isAgreed } from "../endpoints/ask-hosts.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import type { Cryptography } from "../proof/hashing/cryptography.ts";
import { refusedBlock } from "../proof/refuse-block.ts";
import type { RpcBlock } from "../rpc/rpc-block.ts";
import { movesOf } from "./agree.ts";
import { type BlockParts, type LoadRules, readBlock } from "./asking/load-block.ts";
import { assemble } from "./assemble.ts";

type Tools = { cryptography: Cryptography; rules: LoadRules };

/** A block as one endpoint answered it, with what it decodes to. */
export type Reading = { endpoint: Endpoint; parts: BlockParts; loaded: LoadedBlock };

type Asking = {
  pool: Pick<EndpointPool, "inOrder" | "hosts">;
  clock: Clock;
  verify: (endpoint: Endpoint) => Promise<void>;
  witness: WitnessPolicy;
};

/** A second endpoint may get a new block later. It is asked this often, with this pause in ms. */
const timesAsked = 8;
const betweenMs = 250;

/**
 * True if no root proves all movements of a block. Traces do not count here, since balances are
 * compared with them.
 */
export function isUnrooted({ evidence: { logs, others } }: LoadedBlock): boolean {
  return [logs, others].some((proof) => proof === "bloom" || proof === "answered");
}

/**
 * Accepts a block whose movements no root proves, once the required number of hosts answer the same
 * movements. Traces are not compared, because not every endpoint has them. The first endpoint's
 * answer is enough if the chain has only one host. It is also enough if the others have not
 * answered for the allowed time.
 * @throws Fault `rpc_inconsistent` if hosts differ, which names the difference; `rpc_unavailable`
 *   if the others must be waited for. `isOfHosts` is true for both
 */
export async function readTwice(
  asking: Asking,
  first: Reading,
  tools: Tools,
): Promise<LoadedBlock> {
  const { pool, clock } = asking;
  if (pool.hosts() === 1 || !isUnrooted(first.loaded)) return first.loaded;
  for (let asked = 1; asked <= timesAsked; asked += 1) {
    const agreed = await askOthers(asking, first, tools);
    if (agreed !== null) return agreed;
    if (maySkip(asking, first.endpoint)) return first.loaded;
    if (asked < timesAsked) await clock.sleep(betweenMs, new AbortController().signal);
  }
  const { number } = first.loaded.header;
  throw new Fault(
    "rpc_unavailable",
    `Block ${number} has no root that shows its movements, and no second endpoint answers for it.`,
    { facts: { hosts: "too_few" } },
  );
}

/** True if the block was read, but too few hosts agree on it. */
export function isOfHosts(error: unknown): boolean {
  return faultIn(error)?.facts["hosts"] !== undefined;
}

type Compared = { host: string; endpoint: Endpoint; moves: string };

const ruleOf = (needed: number): AgreementRule<Compared> => ({
  needed,
  isSame: (one, other) => one.moves === other.moves,
});

/** Null: too few other hosts have that very block. */
async function askOthers(
  { pool, verify, witness }: Asking,
  first: Reading,
  tools: Tools,
): Promise<LoadedBlock | null> {
  const rule = ruleOf(witness.count);
  const { endpoint, parts } = first;
  const { block } = parts;
  const untraced = { ...tools, rules: { ...tools.rules, tracing: "off" } as const };
  const compared = (endpoint: Endpoint, parts: BlockParts): Compared => ({
    host: endpoint.host,
    endpoint,
    moves: textOf(assemble(parts, untraced)),
  });
  const own = compared(endpoint, { ...parts, traces: null });
  const answers = await askHosts(pool.inOrder(), own, {
    async ask(other) {
      await verify(other);
      const read = await readBlock(other, block.number, untraced.rules);
      return read.block.hash === block.hash ? compared(other, read) : null;
    },
    isEnough: isAgreed(rule),
  });
  const verdict = judge(answers, rule);
  switch (verdict.kind) {
    case "agreed": {
      const { value } = verdict;
      // The first endpoint may be alone against two others. Then their block is taken.
      return agreed(value === own ? first.loaded : await readWhole(value.endpoint, block, tools));
    }
    case "disputed": {
      const names = answers.values.map(({ endpoint }) => endpoint.name).join(" and ");
      throw refusedBlock(block, `${names} differ in what moves in it, which no root shows`, {
        hosts: "differ",
      });
    }
    default:
      return null;
  }
}

/** The text that is compared: the stored fields of the header, and every movement. */
function textOf(loaded: LoadedBlock): string {
  const { number, hash, parentHash, timeMs } = loaded.header;
  return [number, hash, parentHash, timeMs, movesOf(loaded)].join();
}

/** @throws Fault `rpc_inconsistent` if the endpoint now has another block at that height */
async function readWhole(endpoint: Endpoint, block: RpcBlock, tools: Tools): Promise<LoadedBlock> {
  const parts = await readBlock(endpoint, block.number, tools.rules);
  if (parts.block.hash === block.hash) return assemble(parts, tools);
  throw refusedBlock(block, `${endpoint.name} has another block of that height by now`);
}

/** True if no other host has answered for `patienceMs`. Never true if other hosts are required. */
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
