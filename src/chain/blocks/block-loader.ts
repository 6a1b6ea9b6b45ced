import type { Position } from "../../domain/chain/block.ts";
import type { UnreadablePolicy } from "../../domain/chain/block-proof.ts";
import type { AgreedReading } from "../../domain/chain/chain-status.ts";
import type { WitnessPolicy } from "../../domain/chain/confirmation.ts";
import type { LoadedBlock } from "../../domain/money/movement.ts";
import type { RangeRequest } from "../../domain/watch/chain-source.ts";
import type { BlockRange, RangeBlock } from "../../domain/watch/watch-filter.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { createSeldom } from "../../runtime/seldom.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { EndpointPool } from "../endpoints/endpoint-pool.ts";
import type { Cryptography } from "../proof/hashing/cryptography.ts";
import { findSenders } from "../proof/prove-block.ts";
import { refusedBlock, unreadPartOf } from "../proof/refuse-block.ts";
import { type AgreedBlock, agreeOn } from "./agree.ts";
import { type BlockParts, type LoadRules, readBlock } from "./asking/load-block.ts";
import { weighAnswer } from "./asking/weigh-answer.ts";
import { assemble } from "./assemble.ts";
import { loadAnnounced } from "./load-announced.ts";
import { loadRange } from "./load-range.ts";
import { readElsewhere } from "./read-elsewhere.ts";
import { isUnrooted, readTwice } from "./second-reading.ts";

type Tools = { cryptography: Cryptography; rules: LoadRules };

type Loading = {
  pool: EndpointPool;
  clock: Clock;
  log: Logger;
  survey: { look: () => void };
  admit: (endpoint: Endpoint) => Promise<void>;
  admitForBlocks: (endpoint: Endpoint) => Promise<void>;
  witness: Pick<WitnessPolicy, "patienceMs" | "mode">;
  tools: () => Promise<Tools>;
};

/** Reads the blocks of one chain over all of its endpoints. See ChainSource for each question. */
export function createBlockLoader(
  loading: Loading,
  of: { chainId: number; unreadable: UnreadablePolicy },
) {
  const { pool, admitForBlocks, tools } = loading;
  const { unreadable: policy } = of;
  const agreements = createAgreements(loading.log, of.chainId);

  const isAgreed = (error: unknown) => {
    const unread = unreadPartOf(error);
    return unread !== null && policy[unread] === "agreed";
  };

  async function load(number: bigint): Promise<LoadedBlock & { bytes: number }> {
    const with_ = await tools();
    // One of each endpoint: where none can be proved, they are held against each other.
    const answers = new Map<Endpoint, BlockParts>();
    try {
      const first = await pool.first(async (endpoint) => {
        const parts = await readSigned(endpoint, number, with_);
        answers.set(endpoint, parts);
        return { endpoint, parts, loaded: assemble(parts, with_) };
      }, admitForBlocks);
      return { ...(await readTwice(loading, first, with_)), bytes: weightOf(first.parts) };
    } catch (error) {
      if (!isAgreed(error)) throw error;
      const agreed = agreeOn(answers, error, { ...with_, policy });
      agreements.add(agreed);
      return {
        ...agreed.loaded,
        bytes: [...answers.values()].reduce((sum, one) => sum + weightOf(one), 0),
      };
    }
  }

  async function loadOneByOne({ from, to }: RangeRequest): Promise<BlockRange> {
    const blocks: RangeBlock[] = [];
    let decodedBytes = 0;
    for (let number = from; number <= to; number += 1n) {
      const { bytes, ...block } = await load(number);
      blocks.push({ ...block, isWhole: true });
      decodedBytes += bytes;
    }
    return { blocks, decodedBytes };
  }

  /** The blocks of a range that hold something of ours, and that no root shows, are read of a second host too. */
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
    const { bytes: _, ...again } = await load(header.number);
    if (again.header.hash === header.hash) return { ...again, isWhole: true };
    throw refusedBlock(header, "another endpoint has another block of that height");
  }

  return {
    // When a part is missing or does not hold, the next endpoint is asked for the whole block.
    loadBlock: (number: bigint): Promise<LoadedBlock> => load(number),

    loadAnnounced: (after: Position) =>
      loadAnnounced(loading, after, async (endpoint, number) => {
        await admitForBlocks(endpoint);
        const with_ = await tools();
        const parts = await readSigned(endpoint, number, with_);
        return readTwice(loading, { endpoint, parts, loaded: assemble(parts, with_) }, with_);
      }),

    async *readElsewhere(block: LoadedBlock) {
      if (pool.hosts() > 1) yield* readElsewhere(loading, block, await tools());
    },

    async loadRange(request: RangeRequest): Promise<BlockRange> {
      const with_ = await tools();
      try {
        const range = await pool.first((one) => loadRange(one, request, with_), admitForBlocks);
        return await readRangeTwice(range, request);
      } catch (error) {
        if (!isAgreed(error)) throw error;
        return loadOneByOne(request);
      }
    },

    agreed: agreements.reading,
  };
}

/** A block's parts, and the senders of its transactions found ahead. */
async function readSigned(endpoint: Endpoint, number: bigint, with_: Tools): Promise<BlockParts> {
  const parts = await readBlock(endpoint, number, with_.rules);
  await findSenders(with_.cryptography, with_.rules, [parts.block]);
  return parts;
}

/** What has been taken because endpoints agreed on it: kept for the operator, and logged the 1st, 2nd, 4th, 8th … time. */
function createAgreements(log: Logger, chainId: number) {
  const seldom = createSeldom();
  let reading: AgreedReading | null = null;
  return {
    add({ loaded, endpoints, why }: AgreedBlock): void {
      const { number } = loaded.header;
      reading = { blocks: (reading?.blocks ?? 0) + 1, number, endpoints, why };
      const count = seldom.count(endpoints.join());
      if (count === null) return;
      log.warn({ chainId, blockNumber: number.toString(), endpoints, why, count }, "block.agreed");
    },
    reading: () => reading,
  };
}

function weightOf({ block, receipts, traces }: BlockParts): number {
  return weighAnswer(block.raw) + weighAnswer(receipts.map(({ raw }) => raw)) + weighAnswer(traces);
}
