import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { RangeBlock, WatchFilter } from "../../domain/watch/watch-filter.ts";

export type RangeChain = Pick<ChainSource, "loadRange">;

export type ReadAhead = {
  /** The next blocks, oldest first: all that are there by now, within what one commit takes. None after the last. */
  next: () => Promise<RangeBlock[]>;
  /** Asks for nothing more; what is under way is forgotten. */
  close: () => void;
};

/** Decoded answers and read blocks that wait for their commit, together. */
const maxBytes = 32 * 1024 * 1024;

/** Blocks asked for together. */
const firstBlocks = 16;
const maxBlocks = 128;

/** So many requests are under way that an endpoint is never idle while a range is proved. */
const maxRanges = 4;

/** What a range should decode to: several fit into the bound, and a commit is never far away. */
const rangeBytes = 4 * 1024 * 1024;

/** Until it is known: more than a full block of a busy chain. */
const assumedBlockBytes = 512 * 1024;

/** Blocks below this on average are asked for in one request. */
const lightBytes = 32 * 1024;

/** What is kept of a block that was read: its header, and each movement with its strings. */
const headerBytes = 400;
const movementBytes = 600;

/** Of one commit: the chain's row is locked meanwhile, and whoever adds a wallet waits for it. */
const commitBlocks = 1_024;
const commitMovements = 8_192;

type Part = { result: Promise<RangeBlock[]>; blocks: RangeBlock[] | null; bytes: number };

/**
 * Reads [from, to] ahead of whoever takes it, in order, several ranges at once, and no further than `maxBytes` ahead.
 * How many blocks make a range follows from what the last ones weighed. The first failure is thrown by `next`.
 */
export function createReadAhead(
  chain: RangeChain,
  plan: { from: bigint; to: bigint; watchFilter: WatchFilter | null },
): ReadAhead {
  const parts: Part[] = [];
  let nextFrom = plan.from;
  /** What a block decoded to lately; null: nothing has been read yet. */
  let blockBytes: number | null = null;
  /** What was handed out last: it is kept until its commit has ended. */
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
    const request = { from, to, watchFilter: plan.watchFilter, isLight: expected < lightBytes };
    const result = chain.loadRange(request).then(({ blocks, decodedBytes }) => {
      // The heaviest counts at once, lighter ones by and by: the bound is kept for what comes next.
      const average = Math.max(1, Math.ceil(decodedBytes / blocks.length));
      const before = blockBytes ?? average;
      blockBytes = average > before ? average : Math.ceil((before + average) / 2);
      part.blocks = blocks;
      part.bytes = keptBytes(blocks);
      fill();
      return blocks;
    });
    const part: Part = { result, blocks: null, bytes: expected * Number(nextFrom - from) };
    // It is thrown to whoever takes it, who may have gone by then.
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
