import type { Hash, Position } from "../../domain/chain/block.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { inTransaction } from "../postgres/transaction.ts";
import { lockChain } from "./chain-state.ts";

/**
 * Reads the lowest stored block at or above a height, of the window or of the checkpoints. Null:
 * there is none.
 */
export async function readAnchor(
  db: Database,
  chainName: string,
  number: bigint,
): Promise<Position | null> {
  const rows = await statementsOf(db).$queryRaw<{ number: bigint; hash: string }[]>`
    (SELECT number, hash FROM block WHERE chain_name = ${chainName} AND number >= ${number} ORDER BY number LIMIT 1)
    UNION ALL
    (SELECT number, hash FROM checkpoint WHERE chain_name = ${chainName} AND number >= ${number}
      ORDER BY number LIMIT 1)
    ORDER BY number LIMIT 1`;
  const [first] = rows;
  return first === undefined ? null : { number: first.number, hash: first.hash as Hash };
}

/**
 * Stores hashes of ancestors of a stored block. It stores nothing if a reset or an undo has removed
 * that block. A stored hash of the same height stays. Safe to repeat.
 */
export async function keepCheckpoints(
  db: Database,
  chainName: string,
  { of, checkpoints }: { of: Position; checkpoints: readonly Position[] },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockChain(tx, chainName);
    await tx.$executeRaw`
      INSERT INTO checkpoint (chain_name, number, hash)
      SELECT ${chainName}, r.* FROM unnest(${checkpoints.map(({ number }) => number)}::bigint[],
        ${checkpoints.map(({ hash }) => hash)}::text[]) AS r
      WHERE EXISTS (
        SELECT FROM block WHERE chain_name = ${chainName} AND number = ${of.number} AND hash = ${of.hash}
        UNION ALL
        SELECT FROM checkpoint WHERE chain_name = ${chainName} AND number = ${of.number} AND hash = ${of.hash})
      ON CONFLICT DO NOTHING`;
  });
}
