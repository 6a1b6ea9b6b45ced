import type { BlockHeader } from "../../domain/chain/block.ts";
import type { Statements, TxStatements } from "../postgres/statements.ts";
import { lowerChanges } from "../watchlist/watch-change.ts";

// The blocks that a rewind takes away are read again, and usually are the same ones. If the chain
// has others, wallets and assets were added in lost blocks, as before a reorg. So the hashes of
// these blocks are kept until the chain has blocks of their heights again.

/**
 * Keeps the hashes of the blocks above a height, before a rewind takes them away. The caller holds
 * the chain's lock.
 */
export async function keepRewound(tx: Statements, chainName: string, above: bigint): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO rewound_block (chain_name, number, hash)
    SELECT chain_name, number, hash FROM block WHERE chain_name = ${chainName} AND number > ${above}
    ON CONFLICT (chain_name, number) DO UPDATE SET hash = EXCLUDED.hash`;
}

/**
 * Compares the next blocks with those that a rewind took away. The first other one begins another
 * branch (see beginBranch). The caller holds the chain's lock.
 * @returns whether the watchlist has changed by it
 */
export async function followRewound(
  tx: Statements,
  chainName: string,
  headers: readonly BlockHeader[],
): Promise<boolean> {
  const upTo = headers.at(-1)?.number ?? -1n;
  const rewound = await tx.$queryRaw<{ number: bigint; hash: string }[]>`
    SELECT number, hash FROM rewound_block WHERE chain_name = ${chainName} AND number <= ${upTo}`;
  const hashes = new Map(rewound.map(({ number, hash }) => [number, hash]));
  const other = headers.find(({ number, hash }) => (hashes.get(number) ?? hash) !== hash);
  return other === undefined ? false : beginBranch(tx, chainName, other.number - 1n);
}

/**
 * Forgets the blocks up to a height that a rewind took away. The chain has blocks of these heights
 * again. The caller holds the chain's lock.
 */
export function forgetRewound(tx: TxStatements, chainName: string, upTo: bigint): void {
  tx.$sendRaw`DELETE FROM rewound_block WHERE chain_name = ${chainName} AND number <= ${upTo}`;
}

/**
 * Watches what was added above an ancestor from there on, for the chain has another branch above it
 * (docs/invariants.md#i4). Forgets the blocks that a rewind took away. The caller holds the chain's
 * lock.
 * @returns whether the watchlist has changed by it
 */
export async function beginBranch(
  tx: Statements,
  chainName: string,
  ancestor: bigint,
): Promise<boolean> {
  await tx.$executeRaw`DELETE FROM rewound_block WHERE chain_name = ${chainName}`;
  return (await lowerChanges(tx, chainName, ancestor)) > 0;
}
