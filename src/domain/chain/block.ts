/** A lower-case 0x hash of 32 bytes. */
export type Hash = `0x${string}`;

/**
 * A place on a chain. A height alone names no block, because a reorg can put another block there.
 */
export type Position = { number: bigint; hash: Hash };

/** True if both are the same block. Null is no block. */
export function isSameBlock(one: Position | null, other: Position): boolean {
  return one?.number === other.number && one.hash === other.hash;
}

/** The fields that link a block to its chain. */
export type BlockHeader = Position & { parentHash: Hash; timeMs: number };

/** Once confirmed, the hash of every 512th block is stored for ever. */
export const checkpointBlocks = 512n;
