import type { ChainSource, RangeRequest } from "../../domain/watch/chain-source.ts";
import type { RangeBlock } from "../../domain/watch/watch-filter.ts";

export type RangeChain = Pick<ChainSource, "loadRange">;

export type ReadAhead = {
  /**
   * The next blocks, oldest first: all that have been read, up to the size of one commit. Empty
   * after the last block.
   */
  next: () => Promise<RangeBlock[]>;
  /** Stops reading. Answers that still arrive are ignored. */
  close: () => void;
};

/** The memory for decoded answers, and for blocks that wait for their commit, together. */
const maxBytes = 32 * 1024 * 1024;

/** The number of blocks in a range: at first, and at most. */
const firstBlocks = 16;
const maxBlocks = 128;

/**
 * The number of ranges that are read at the same time. So an endpoint is busy while a range is
 * proved.
 */
const maxRanges = 4;

/**
 * The decoded size that one range should have. Several fit into `maxBytes`, and the next commit
 * does not have to wait long.
 */
const rangeBytes = 4 * 1024 * 1024;

/** The assumed size of a block until one is read: more than a full block of a busy chain. */
const assumedBlockBytes = 512 * 1024;

/** If blocks are smaller than this on average, one request asks for many of them. */
const lightBytes = 32 * 1024;

/** The memory for a block: its header, and each movement with its strings. */
const headerBytes = 400;
const movementBytes = 600;

/**
 * The most that one commit writes. It locks the chain's row, so calls that add wallets wait for it.
 */
const commitBlocks = 1_024;
const commitMovements = 8_192;

type Part = { result: Promise<RangeBlock[]>; blocks: RangeBlock[] | null; bytes: number };

/**
 * Reads the blocks [from, to] ahead, in order, several ranges at once, and at most `maxBytes` of
 * them. The size of the last blocks decides how many blocks the next range has. `next` throws the
 * first failure.
 */
export function createReadAhead(chain: RangeChain, plan: Omit<RangeRequest, "isLight">): ReadAhead {
  const parts: Part[] = [];
  let nextFrom = plan.from;
  /** The recent size of a decoded block. Null: nothing has been read yet. */
  let blockBytes: number | null = null;
  /** The size of the blocks returned last. They stay in memory until their commit has ended. */
  let handedBytes = 0;
  let isClosed = false;

  function start(): Part {
    const expected = blockBytes ?? assumedBlockBytes;
    const fitting = Math.floor(rangeBytes / expected);
    const count = Math.max(1, Math.min(blockBytes === null ? firstBlocks : maxBlocks, fitting));
    const from = nextFrom;
    const last = from + BigInt(count) - 1n;
    const to = last < plan.to ? last : plan.to;
    nextFrom = to + 1n;
    const request = { ...plan, from, to, isLight: expected < lightBytes };
    const result = chain.loadRange(request).then(({ blocks, decodedBytes }) => {
      // A larger size counts at once, a smaller one only by half. So the next range does not exceed
      // the memory.
      const average = Math.max(1, Math.ceil(decodedBytes / blocks.length));
      const before = blockBytes ?? average;
      blockBytes = average > before ? average : Math.ceil((before + average) / 2);
      part.blocks = blocks;
      part.bytes = keptBytes(blocks);
      fill();
      return blocks;
    });
    const part: Part = { result, blocks: null, bytes: expected * Number(nextFrom - from) };
    // `next` throws the failure. If nobody calls `next` again, it must not be an unhandled
    // rejection.
    part.result.catch(() => {});
    return part;
  }

  function fill(): void {
    while (!isClosed && nextFrom <= plan.to) {
      const held = parts.reduce((sum, part) => sum + part.bytes, handedBytes);
      const underWay = parts.filter((part) => part.blocks === null).length;
      const coming = Math.min(rangeBytes, maxBlocks * (blockBytes ?? assumedBlockBytes));
      const isFull = underWay >= maxRanges || held + coming > maxBytes;
      if (parts.length > 0 && isFull) return;
      parts.push(start());
    }
  }

  return {
    async next() {
      handedBytes = 0;
      fill();
      const taken: RangeBlock[] = [];
      let movements = 0;
      while (taken.length < commitBlocks && movements < commitMovements) {
        const [part] = parts;
        if (part === undefined || (part.blocks === null && taken.length > 0)) break;
        const blocks = await part.result;
        parts.shift();
        for (const block of blocks) {
          taken.push(block);
          movements += block.movements.length;
        }
        handedBytes += keptBytes(blocks);
        fill();
      }
      return taken;
    },
    close() {
      isClosed = true;
      parts.length = 0;
    },
  };
}

function keptBytes(blocks: readonly RangeBlock[]): number {
  let bytes = 0;
  for (const { movements } of blocks) bytes += headerBytes + movements.length * movementBytes;
  return bytes;
}
