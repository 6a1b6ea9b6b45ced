import type { ChainSource, RangeRequest } from "../../domain/watch/chain-source.ts";
import type { RangeBlock } from "../../domain/watch/watch-filter.ts";

export type RangeChain = Pick<ChainSource, "loadRange">;

export type ReadAhead = {
  /**
   * The next blocks, oldest first: all that have been read, up to what one commit takes. Empty
   * after the last.
   */
  next: () => Promise<RangeBlock[]>;
  /** Asks for nothing more; answers still to come are ignored. */
  close: () => void;
};

/** For decoded answers and for blocks that wait for their commit, together. */
const maxBytes = 32 * 1024 * 1024;

/** Blocks asked for together. */
const firstBlocks = 16;
const maxBlocks = 128;

/**
 * Ranges asked for at the same time: enough that an endpoint is not idle while a range is proved.
 */
const maxRanges = 4;

/**
 * The size that one range should decode to: several fit into the bound, and the next commit is
 * soon.
 */
const rangeBytes = 4 * 1024 * 1024;

/** The size of a block until it is known: more than a full block of a busy chain. */
const assumedBlockBytes = 512 * 1024;

/** Blocks below this on average are asked for in one request. */
const lightBytes = 32 * 1024;

/** The memory that a block takes: its header, and each movement with its strings. */
const headerBytes = 400;
const movementBytes = 600;

/**
 * The most that one commit takes. It locks the chain's row, and calls that add wallets wait
 * meanwhile.
 */
const commitBlocks = 1_024;
const commitMovements = 8_192;

type Part = { result: Promise<RangeBlock[]>; blocks: RangeBlock[] | null; bytes: number };

/**
 * Reads the blocks [from, to] before they are taken, in order, several ranges at once, and at most
 * `maxBytes` of them. The number of blocks in a range follows from the size of the last ones. The
 * first failure is thrown by `next`.
 */
export function createReadAhead(chain: RangeChain, plan: Omit<RangeRequest, "isLight">): ReadAhead {
  const parts: Part[] = [];
  let nextFrom = plan.from;
  /** The size of a block, decoded, as of late; null: nothing has been read yet. */
  let blockBytes: number | null = null;
  /** The size of what was taken last: it stays in memory until its commit has ended. */
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
      // A larger size counts at once, smaller ones only by half: so the bound holds for the next
      // range.
      const average = Math.max(1, Math.ceil(decodedBytes / blocks.length));
      const before = blockBytes ?? average;
      blockBytes = average > before ? average : Math.ceil((before + average) / 2);
      part.blocks = blocks;
      part.bytes = keptBytes(blocks);
      fill();
      return blocks;
    });
    const part: Part = { result, blocks: null, bytes: expected * Number(nextFrom - from) };
    // `next` throws it; where nobody calls that any more, it is no unhandled rejection.
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
