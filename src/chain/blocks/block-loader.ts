import type { Address } from "../../domain/chain/address.ts";
import type { Position } from "../../domain/chain/block.ts";
import type { TracingChoice, UnreadablePolicy } from "../../domain/chain/block-proof.ts";
import type { Discovery } from "../../domain/chain/chain-status.ts";
import type { WitnessPolicy } from "../../domain/chain/confirmation.ts";
import type { LoadedBlock } from "../../domain/money/movement.ts";
import type { BlockAnswer, RangeRequest } from "../../domain/watch/chain-source.ts";
import type { BlockRange, RangeBlock, WatchFilter } from "../../domain/watch/watch-filter.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { agreeOnMoves } from "../agreement/agree-on-moves.ts";
import {
  agreeOnUnreadable,
  createAgreements,
  type Reading,
} from "../agreement/agree-on-unreadable.ts";
import { agreeOnUnrooted, isRangeAgreed, mustAgree } from "../agreement/agree-on-unrooted.ts";
import type { Holds } from "../agreement/holds.ts";
import type { Capabilities } from "../endpoints/capabilities.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import type { Cryptography } from "../proof/hashing/cryptography.ts";
import { proofAt } from "../proof/prove-block.ts";
import { refusedBlock, unreadPartOf } from "../proof/refuse-block.ts";
import type { RpcBlock } from "../rpc/rpc-block.ts";
import type { BlockParts } from "./asking/load-block.ts";
import { weighAnswer } from "./asking/weigh-answer.ts";
import { loadAnnounced } from "./load-announced.ts";
import { loadOne, loadRange } from "./load-range.ts";
import { createMissingTraces } from "./missing-traces.ts";
import type { JudgingTools } from "./rule-out.ts";

/** A way to read blocks: which endpoints may be used, and the rules. */
type Way = { verify: (endpoint: Endpoint) => Promise<void>; tools: () => Promise<JudgingTools> };

type NewestReading = Reading & { loaded: RangeBlock };

type Loading = {
  pool: EndpointPool;
  clock: Clock;
  log: Logger;
  probeHeads: () => void;
  verify: (endpoint: Endpoint) => Promise<void>;
  verifyForBlocks: (endpoint: Endpoint) => Promise<void>;
  witness: WitnessPolicy;
  /** The matters of this chain that wait for further hosts. */
  holds: Holds;
  loadTools: () => Promise<JudgingTools>;
  /** Keeps the headers of blocks that were proved. */
  keepHeader: (block: RpcBlock) => void;
  capabilities: Pick<Capabilities, "keep" | "hasTraced">;
  /** Examines each new block that is read whole. */
  discovery: {
    look: (cryptography: Cryptography, parts: BlockParts) => void;
    found: () => Discovery | null;
  };
};

/** Reads blocks of one chain over all its endpoints. See ChainSource for each method. */
export function createBlockLoader(
  loading: Loading,
  of: { chainId: number; unreadable: UnreadablePolicy; tracing: TracingChoice },
) {
  const { verify, verifyForBlocks, loadTools, discovery, capabilities } = loading;
  const agreements = createAgreements(loading.log, of.chainId);
  const missing = createMissingTraces(loading, of);
  const { load, loadRangeOf } = createReading(loading, { policy: of.unreadable, agreements });
  const traced: Way = { verify: verifyForBlocks, tools: loadTools };
  const untraced: Way = { verify, tools: async () => withoutTraces(await loadTools()) };

  return {
    // If a part is missing or does not hold, the next endpoint is asked for the whole block.
    loadBlock: (number: bigint): Promise<LoadedBlock> => load(number, null, { way: traced }),

    loadNext: (
      number: bigint,
      watchFilter: WatchFilter | null,
      answered: BlockAnswer | null = null,
    ): Promise<RangeBlock> =>
      missing.read<RangeBlock>(
        { from: number, to: number },
        {
          traced: () => load(number, watchFilter, { answered, way: traced }),
          untraced: () => load(number, watchFilter, { answered, way: untraced }),
        },
      ),

    loadAnnounced(after: Position, watchFilter: WatchFilter | null) {
      if (missing.areGivenUp()) return null;
      return loadAnnounced(loading, after, async (endpoint, number) => {
        await verifyForBlocks(endpoint);
        const tools = await loadTools();
        const keep = (parts: BlockParts) => discovery.look(tools.cryptography, parts);
        const asked = { number, watchFilter, answered: null, keep };
        const first = { endpoint, ...(await readOne(loading, endpoint, { asked, tools })) };
        const block = await crossCheck(loading, first, tools);
        await capabilities.keep();
        return block;
      });
    },

    async agreeOnMoves(block: LoadedBlock, wallets: readonly Address[]) {
      const asking = { ...loading, needed: loading.witness.count };
      return agreeOnMoves(asking, { block, wallets }, await loadTools());
    },

    loadRange: (request: RangeRequest): Promise<BlockRange> =>
      request.mayLackTraces
        ? missing.read(request, {
            traced: () => loadRangeOf(request, traced),
            untraced: () => loadRangeOf(request, untraced),
          })
        : loadRangeOf(request, traced),

    agreed: agreements.reading,

    discovered: discovery.found,

    /** True while blocks are read without the traces that endpoints gave before. */
    lacksTraces: missing.areMissing,
  };
}

/** Reads blocks, and lets hosts agree on blocks that cannot be proved. */
function createReading(
  loading: Loading,
  of: { policy: UnreadablePolicy; agreements: ReturnType<typeof createAgreements> },
) {
  const { pool, discovery, capabilities } = loading;
  const { policy, agreements } = of;
  const isAgreed = (error: unknown) => mayBeAgreed(policy, error);

  async function load(
    number: bigint,
    watchFilter: WatchFilter | null,
    { answered = null, way }: { answered?: BlockAnswer | null; way: Way },
  ): Promise<RangeBlock & { bytes: number }> {
    const tools = await way.tools();
    // Each endpoint's answer. If none can be proved, they are compared with each other.
    const answers = new Map<Endpoint, BlockParts>();
    try {
      const first = await pool.first(async (endpoint) => {
        const keep = (parts: BlockParts) => {
          answers.set(endpoint, parts);
          discovery.look(tools.cryptography, parts);
        };
        const asked = { number, watchFilter, answered, keep };
        return { endpoint, ...(await readOne(loading, endpoint, { asked, tools })) };
      }, way.verify);
      const block = await crossCheck(loading, first, tools);
      await capabilities.keep();
      return { ...block, bytes: weightOf(first.parts) };
    } catch (error) {
      if (!isAgreed(error)) throw error;
      // Hosts can only agree on a block that was read whole.
      if (watchFilter !== null) return load(number, null, { way });
      const agreed = agreeOnUnreadable(answers, error, { ...tools, policy });
      agreements.add(agreed);
      return {
        ...agreed.loaded,
        isWhole: true,
        bytes: [...answers.values()].reduce((sum, one) => sum + weightOf(one), 0),
      };
    }
  }

  async function loadRangeOf(request: RangeRequest, way: Way): Promise<BlockRange> {
    const tools = await way.tools();
    try {
      const range = await pool.first((one) => loadRange(one, request, tools), way.verify);
      await capabilities.keep();
      if (pool.hosts() === 1) return range;
      const twice = await readRangeTwice(range, request, { way, tools });
      if (twice !== null) return twice;
    } catch (error) {
      if (!isAgreed(error)) throw error;
    }
    return loadOneByOne(request, (number) => load(number, null, { way }));
  }

  /**
   * Reads a range from a second host too, if no root covers its blocks. Those with movements of
   * ours are read whole from both. Those without are read whole only if all movements count as
   * ours. A wallet that is added meanwhile must find nothing in the others.
   * @returns null: the hosts do not find the same in the range
   */
  async function readRangeTwice(
    range: BlockRange,
    asked: RangeRequest,
    { way, tools }: { way: Way; tools: JudgingTools },
  ): Promise<BlockRange | null> {
    const { watchFilter, from } = asked;
    const isOurs = watchFilter?.isWatched ?? (() => true);
    const again = (one: Endpoint) => loadRange(one, asked, withoutTraces(tools));
    const isCovered = isListCovered(tools, from) && isLogCovered(tools, from);
    if (!isCovered && !(await isRangeAgreed(loading, { ...range, isOurs }, again))) return null;
    const blocks: RangeBlock[] = [];
    for (const block of range.blocks) {
      const { movements } = block;
      if (!mustAgree(pool, block)) blocks.push(taken(loading, block));
      else if (movements.some(({ from, to }) => isOurs(from) || isOurs(to)))
        blocks.push(await loadAgain(block, way));
      else blocks.push({ ...block, movements: [], isWhole: watchFilter === null });
    }
    return { ...range, blocks };
  }

  async function loadAgain({ header }: RangeBlock, way: Way): Promise<RangeBlock> {
    const { bytes: _, ...again } = await load(header.number, null, { way });
    if (again.header.hash === header.hash) return again;
    throw refusedBlock(header, "another endpoint has another block of that height");
  }

  return { load, loadRangeOf };
}

/** True if the block was refused for a part on which endpoints may agree instead. */
function mayBeAgreed(policy: UnreadablePolicy, error: unknown): boolean {
  const unread = unreadPartOf(error);
  return unread !== null && policy[unread] === "agreed";
}

/** The same tools, without reading traces. */
function withoutTraces(tools: JudgingTools): JudgingTools {
  return { ...tools, rules: { ...tools.rules, tracing: "off" } };
}

/** True if the hash of a block of that height covers its list of transactions. */
function isListCovered({ rules }: JudgingTools, number: bigint): boolean {
  const { header, transactions } = proofAt(rules, { number });
  return header && transactions;
}

/** True if a root covers the logs of a block of that height. */
function isLogCovered({ rules }: JudgingTools, number: bigint): boolean {
  const { receipts } = proofAt(rules, { number });
  return receipts === "root" || receipts === "root-op";
}

/**
 * Reads one block, and keeps its header. One of several hosts could leave a transaction out, if no
 * root covers them. Such a block is read whole, for hosts can only agree on a whole one.
 */
async function readOne(
  { keepHeader, pool }: Pick<Loading, "keepHeader" | "pool">,
  endpoint: Endpoint,
  { asked, tools }: { asked: Parameters<typeof loadOne>[1]; tools: JudgingTools },
): ReturnType<typeof loadOne> {
  const mayBeRuledOut = pool.hosts() === 1 || isListCovered(tools, asked.number);
  const watchFilter = mayBeRuledOut ? asked.watchFilter : null;
  const read = await loadOne(endpoint, { ...asked, watchFilter }, tools);
  keepHeader(read.parts.block);
  return read;
}

async function loadOneByOne(
  { from, to }: RangeRequest,
  load: (number: bigint) => Promise<RangeBlock & { bytes: number }>,
): Promise<BlockRange> {
  const blocks: RangeBlock[] = [];
  let decodedBytes = 0;
  for (let number = from; number <= to; number += 1n) {
    const { bytes, ...block } = await load(number);
    blocks.push(block);
    decodedBytes += bytes;
  }
  return { blocks, decodedBytes };
}

/** Checks a block with a second endpoint. A block that is ruled out needs no check. */
async function crossCheck(
  loading: Loading,
  first: NewestReading,
  tools: JudgingTools,
): Promise<RangeBlock> {
  if (!mustAgree(loading.pool, first.loaded)) return taken(loading, first.loaded);
  return { ...(await agreeOnUnrooted(loading, first, tools)), isWhole: true };
}

/** A block on which hosts need not agree waits no longer. */
function taken({ holds }: Pick<Loading, "holds">, block: RangeBlock): RangeBlock {
  holds.end("block", block.header.number);
  return block;
}

function weightOf({ block, receipts, traces }: BlockParts): number {
  return weighAnswer(block.raw) + weighAnswer(receipts.map(({ raw }) => raw)) + weighAnswer(traces);
}
