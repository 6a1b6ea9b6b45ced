import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import type { Hold, WitnessPolicy } from "../../domain/chain/confirmation.ts";
import { Fault, faultIn } from "../../domain/fault.ts";
import type { LoadedBlock, Movement } from "../../domain/money/movement.ts";
import { type AgreementRule, judge } from "../../domain/watch/agreement.ts";
import type { RangeBlock } from "../../domain/watch/watch-filter.ts";
import type { Clock } from "../../runtime/clock.ts";
import { assemble, type Tools } from "../blocks/asking/assemble.ts";
import { type BlockParts, readBlock } from "../blocks/asking/load-block.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import { refusedBlock } from "../proof/refuse-block.ts";
import type { RpcBlock } from "../rpc/rpc-block.ts";
import { movesOf, type Reading } from "./agree-on-unreadable.ts";
import { askHosts, isAgreed, untilThere } from "./ask-hosts.ts";
import type { Holds } from "./holds.ts";

type Asking = {
  pool: Pick<EndpointPool, "inOrder" | "hosts">;
  clock: Clock;
  verify: (endpoint: Endpoint) => Promise<void>;
  witness: Pick<WitnessPolicy, "count">;
  holds: Pick<Holds, "wait" | "end">;
};

/**
 * True if hosts have to agree on a block: it was read whole, and no root proves all its movements.
 * Traces do not count here, since balances are compared with them.
 */
export function mustAgree(
  pool: Pick<EndpointPool, "hosts">,
  { isWhole, evidence }: RangeBlock,
): boolean {
  const isUnrooted = [evidence.logs, evidence.others].some(
    (proof) => proof === "bloom" || proof === "answered",
  );
  return pool.hosts() > 1 && isWhole && isUnrooted;
}

/** The result of one round of questions to the other hosts. */
type Outcome = { kind: "taken"; loaded: LoadedBlock } | { kind: "waits" };

/**
 * Accepts a block whose movements no root proves, once the required number of hosts answer the same
 * movements. Traces are not compared, because not every endpoint has them. Where all other hosts
 * have been silent for the allowed time, the first endpoint's answer is enough.
 * @throws Fault `rpc_inconsistent` if hosts differ, which names the difference; `rpc_unavailable`
 *   if the others must be waited for. `isOfHosts` is true for both
 */
export async function agreeOnUnrooted(
  asking: Asking,
  first: Reading,
  tools: Tools,
): Promise<LoadedBlock> {
  const ask = () => askOthers(asking, first, tools);
  const outcome = await untilThere(asking.clock, ask, ({ kind }) => kind === "taken");
  if (outcome.kind === "taken") return outcome.loaded;
  const { number } = first.loaded.header;
  throw new Fault(
    "rpc_unavailable",
    `Block ${number} has no root that shows its movements, and no second endpoint answers for it.`,
    { facts: { hosts: "too_few" } },
  );
}

/**
 * True if the required number of hosts find the same of ours in a range. Call it if no root covers
 * its blocks, so that no host alone hides a deposit. Traces are not compared. A host that refuses
 * the range, such as one without old blocks, has no say. Also true if the others have been silent
 * for the allowed time. If not, hosts have to agree on each block.
 * @param load reads the same range from another endpoint
 * @throws what is no Fault
 */
export async function isRangeAgreed(
  { pool, verify, witness, holds }: Omit<Asking, "clock">,
  { blocks, isOurs }: { blocks: readonly RangeBlock[]; isOurs: (address: Address) => boolean },
  load: (endpoint: Endpoint) => Promise<{ blocks: readonly RangeBlock[] }>,
): Promise<boolean> {
  const [first] = blocks;
  if (first === undefined) return true;
  const isCompared = ({ tracePath, from, to }: Movement) =>
    tracePath === null && (isOurs(from) || isOurs(to));
  const compared = (host: string, read: readonly RangeBlock[]) => ({
    host,
    moves: read
      .map(({ header, movements }) =>
        [header.hash, movesOf({ movements: movements.filter(isCompared) })].join(),
      )
      .join(),
  });
  const rule: AgreementRule<ReturnType<typeof compared>> = ruleOf(witness.count);
  const own = compared(first.host, blocks);
  const answers = await askHosts(pool.inOrder(), own, {
    async ask(other) {
      try {
        await verify(other);
        return compared(other.host, (await load(other)).blocks);
      } catch (error) {
        if (faultIn(error) === undefined || other.record.silentSinceMs() !== null) throw error;
        return "cannot";
      }
    },
    isEnough: isAgreed(rule),
  });
  const verdict = judge(answers, rule);
  if (verdict.kind === "alone" || (verdict.kind === "agreed" && verdict.value === own)) {
    holds.end("block");
    return true;
  }
  if (verdict.kind !== "silent") return false;
  const matter = { what: "block", why: "silent", number: first.header.number } as const;
  return holds.wait(matter, [{ subject: "block", silent: verdict.hosts }]).size > 0;
}

/** True if the block was read, but too few hosts agree on it. */
export function isOfHosts(error: unknown): boolean {
  return faultIn(error)?.facts["hosts"] !== undefined;
}

type Compared = { host: string; endpoint: Endpoint; moves: string };

const ruleOf = (needed: number): AgreementRule<{ moves: string }> => ({
  needed,
  isSame: (one, other) => one.moves === other.moves,
});

async function askOthers(
  { pool, verify, witness, holds }: Asking,
  first: Reading,
  tools: Tools,
): Promise<Outcome> {
  const rule: AgreementRule<Compared> = ruleOf(witness.count);
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
      try {
        await verify(other);
        const read = await readBlock(other, block.number, untraced.rules);
        if (read.block.hash === block.hash) return compared(other, read);
      } catch (error) {
        if (faultIn(error) === undefined || other.record.silentSinceMs() !== null) throw error;
      }
      // It is not silent, and does not have this very block.
      return "refused";
    },
    isEnough: isAgreed(rule),
  });
  const verdict = judge(answers, rule);
  const wait = (why: Hold["why"], silent: readonly string[]) =>
    holds.wait(
      { what: "block", why, number: block.number },
      // One subject for all blocks: hosts that are down are waited for once.
      why === "silent" ? [{ subject: "block", silent }] : [],
    ).size > 0;
  switch (verdict.kind) {
    case "agreed": {
      holds.end("block");
      const { value } = verdict;
      // The first endpoint may be alone against two others. Then their block is taken.
      const loaded = value === own ? first.loaded : await readWhole(value.endpoint, block, tools);
      return { kind: "taken", loaded: agreed(loaded) };
    }
    case "disputed": {
      wait("disputed", []);
      const names = answers.values.map(({ endpoint }) => endpoint.name).join(" and ");
      throw refusedBlock(block, `${names} differ in what moves in it, which no root shows`, {
        hosts: "differ",
      });
    }
    case "silent":
      return wait("silent", verdict.hosts)
        ? { kind: "taken", loaded: first.loaded }
        : { kind: "waits" };
    default:
      wait("refused", []);
      return { kind: "waits" };
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

function agreed(loaded: LoadedBlock): LoadedBlock {
  const said = { logs: "agreed", others: "agreed", unshownFees: new Set<Hash>() } as const;
  return { ...loaded, evidence: { ...loaded.evidence, ...said } };
}
