import type { Address } from "../../domain/chain/address.ts";
import type { Position } from "../../domain/chain/block.ts";
import type { UnreadablePolicy } from "../../domain/chain/block-proof.ts";
import type { AgreedReading } from "../../domain/chain/chain-status.ts";
import type { WitnessPolicy } from "../../domain/chain/confirmation.ts";
import type { LoadedBlock } from "../../domain/money/movement.ts";
import type { BlockAnswer, RangeRequest } from "../../domain/watch/chain-source.ts";
import type { BlockRange, RangeBlock, WatchFilter } from "../../domain/watch/watch-filter.ts";
import type { Clock } from "../../runtime/clock.ts";
import { createExponentialSampler } from "../../runtime/exponential-sampler.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Capabilities } from "../endpoints/capabilities.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import type { Cryptography } from "../proof/hashing/cryptography.ts";
import { refusedBlock, unreadPartOf } from "../proof/refuse-block.ts";
import type { RpcBlock } from "../rpc/rpc-block.ts";
import { type AgreedBlock, agreeOn } from "./agree.ts";
import { agreeOnMoves } from "./agree-on-moves.ts";
import type { BlockParts, LoadRules } from "./asking/load-block.ts";
import { weighAnswer } from "./asking/weigh-answer.ts";
import { loadAnnounced } from "./load-announced.ts";
import { loadOne, loadRange } from "./load-range.ts";
import type { JudgeOf } from "./rule-out.ts";
import { isUnrooted, type Reading, readTwice } from "./second-reading.ts";

type Tools = { cryptography: Cryptography; rules: LoadRules; judgeOf: JudgeOf };

type NewestReading = Reading & { loaded: RangeBlock };

type Loading = {
  pool: EndpointPool;
  clock: Clock;
  log: Logger;
  probeHeads: () => void;
  verify: (endpoint: Endpoint) => Promise<void>;
  verifyForBlocks: (endpoint: Endpoint) => Promise<void>;
  witness: WitnessPolicy;
  loadTools: () => Promise<Tools>;
  /** Keeps the headers of blocks that were proved. */
  keepHeader: (block: RpcBlock) => void;
  capabilities: Pick<Capabilities, "keep" | "hasTraced">;
  /** Looks at each new block that is read whole. */
  discovery: { look: (cryptography: Cryptography, parts: BlockParts) => void };
};

/** Reads the blocks of one chain over all of its endpoints. See ChainSource for each question. */
export function createBlockLoader(
  loading: Loading,
  of: { chainId: number; unreadable: UnreadablePolicy },
) {
  const { pool, verifyForBlocks, loadTools, discovery, capabilities } = loading;
  const { unreadable: policy } = of;
  const agreements = createAgreements(loading.log, of.chainId);
  const readOne = keepingHeaders(loading);

  const isAgreed = (error: unknown) => mayBeAgreed(policy, error);

  async function load(
    number: bigint,
    watchFilter: WatchFilter | null,
    answered: BlockAnswer | null = null,
  ): Promise<RangeBlock & { bytes: number }> {
    const tools = await loadTools();
    // One of each endpoint: where none can be proved, they are held against each other.
    const answers = new Map<Endpoint, BlockParts>();
    try {
      const first = await pool.first(async (endpoint) => {
        const keep = (parts: BlockParts) => {
          answers.set(endpoint, parts);
          discovery.look(tools.cryptography, parts);
        };
        const asked = { number, watchFilter, answered, keep };
        return { endpoint, ...(await readOne(endpoint, asked)) };
      }, verifyForBlocks);
      const block = await crossCheck(loading, first, tools);
      await capabilities.keep();
      return { ...block, bytes: weightOf(first.parts) };
    } catch (error) {
      if (!isAgreed(error)) throw error;
      // Endpoints agree on whole blocks.
      if (watchFilter !== null) return load(number, null);
      const agreed = agreeOn(answers, error, { ...tools, policy });
      agreements.add(agreed);
      return {
        ...agreed.loaded,
        isWhole: true,
        bytes: [...answers.values()].reduce((sum, one) => sum + weightOf(one), 0),
      };
    }
  }

  /**
   * The blocks of a range that hold something of ours, and that no root shows, are read of a second
   * host too.
   */
  async function readRangeTwice(range: BlockRange, asked: RangeRequest): Promise<BlockRange> {
    if (pool.hosts() === 1) return range;
    const isOurs = asked.watchFilter?.isWatched ?? (() => true);
    const blocks: RangeBlock[] = [];
    for (const block of range.blocks) {
      const hasOurs = block.movements.some(({ from, to }) => isOurs(from) || isOurs(to));
      blocks.push(hasOurs && isUnrooted(block) ? await loadAgain(block) : block);
    }
    return { ...range, blocks };
  }

  async function loadAgain({ header }: RangeBlock): Promise<RangeBlock> {
    const { bytes: _, ...again } = await load(header.number, null);
    if (again.header.hash === header.hash) return again;
    throw refusedBlock(header, "another endpoint has another block of that height");
  }

  return {
    // When a part is missing or does not hold, the next endpoint is asked for the whole block.
    loadBlock: (number: bigint): Promise<LoadedBlock> => load(number, null),

    loadNext: (
      number: bigint,
      watchFilter: WatchFilter | null,
      answered?: BlockAnswer,
    ): Promise<RangeBlock> => load(number, watchFilter, answered),

    loadAnnounced: (after: Position, watchFilter: WatchFilter | null) =>
      loadAnnounced(loading, after, async (endpoint, number) => {
        await verifyForBlocks(endpoint);
        const tools = await loadTools();
        const keep = (parts: BlockParts) => discovery.look(tools.cryptography, parts);
        const asked = { number, watchFilter, answered: null, keep };
        const first = { endpoint, ...(await readOne(endpoint, asked)) };
        const block = await crossCheck(loading, first, tools);
        await capabilities.keep();
        return block;
      }),

    async agreeOnMoves(block: LoadedBlock, wallets: readonly Address[]) {
      const asking = { ...loading, needed: loading.witness.count };
      return agreeOnMoves(asking, { block, wallets }, await loadTools());
    },

    async loadRange(request: RangeRequest): Promise<BlockRange> {
      const tools = await loadTools();
      try {
        const range = await pool.first((one) => loadRange(one, request, tools), verifyForBlocks);
        await capabilities.keep();
        return await readRangeTwice(range, request);
      } catch (error) {
        if (!isAgreed(error)) throw error;
        return loadOneByOne(request, (number) => load(number, null));
      }
    },

    agreed: agreements.reading,
  };
}

/** True if a block was refused for a part that endpoints may agree on instead. */
function mayBeAgreed(policy: UnreadablePolicy, error: unknown): boolean {
  const unread = unreadPartOf(error);
  return unread !== null && policy[unread] === "agreed";
}

/** Reads one block, and keeps its header. */
function keepingHeaders({ loadTools, keepHeader }: Loading) {
  return async (endpoint: Endpoint, asked: Parameters<typeof loadOne>[1]) => {
    const read = await loadOne(endpoint, asked, await loadTools());
    keepHeader(read.parts.block);
    return read;
  };
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

/** Of a block that is ruled out a second endpoint has nothing to say. */
async function crossCheck(
  loading: Loading,
  first: NewestReading,
  tools: Tools,
): Promise<RangeBlock> {
  if (!first.loaded.isWhole) return first.loaded;
  return { ...(await readTwice(loading, first, tools)), isWhole: true };
}

/**
 * Keeps for the operator what was taken because endpoints agreed on it. Logs it the 1st, 2nd, 4th,
 * 8th … time.
 */
function createAgreements(log: Logger, chainId: number) {
  const sampler = createExponentialSampler();
  let reading: AgreedReading | null = null;
  return {
    add({ loaded, endpoints, why }: AgreedBlock): void {
      const { number } = loaded.header;
      reading = { blocks: (reading?.blocks ?? 0) + 1, number, endpoints, why };
      const count = sampler.count(endpoints.join());
      if (count === null) return;
      log.warn({ chainId, blockNumber: number.toString(), endpoints, why, count }, "block.agreed");
    },
    reading: () => reading,
  };
}

function weightOf({ block, receipts, traces }: BlockParts): number {
  return weighAnswer(block.raw) + weighAnswer(receipts.map(({ raw }) => raw)) + weighAnswer(traces);
}
