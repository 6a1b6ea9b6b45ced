/** A lower-case 0x hash of 32 bytes. */
export type Hash = `0x${string}`;

/** A place on a chain: a height alone names no block, since a reorg can put another one there. */
export type Position = { number: bigint; hash: Hash };

/** What links a block to its chain. */
export type BlockHeader = Position & { parentHash: Hash; timeMs: number };

/** The hash of each so many blocks is kept for ever, once it is confirmed. */
export const checkpointBlocks = 512n;
