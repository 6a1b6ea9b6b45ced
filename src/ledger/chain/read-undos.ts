import type { Statements } from "../postgres/statements.ts";

/**
 * The number of times that blocks of the chain were undone, by a reorg, a rewind or a reset. Two
 * equal numbers say that all blocks of the time in between are still there.
 */
export async function readUndos(statements: Statements, chainName: string): Promise<number | null> {
  const rows = await statements.$queryRaw<{ undos: number }[]>`
    SELECT undos FROM chain WHERE name = ${chainName}`;
  return rows[0]?.undos ?? null;
}
