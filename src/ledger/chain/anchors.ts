import type { Hash, Position } from "../../domain/chain/block.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";
import { statementsOf } from "../postgres/statements.ts";

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
 * Stores hashes of ancestors of a stored block. A stored hash of the same height stays. Safe to
 * repeat.
 */
export async function keepCheckpoints(
  db: Database,
  chainName: string,
  checkpoints: readonly Position[],
): Promise<void> {
  const data = checkpoints.map(({ number, hash }) => ({ chainName, number, hash }));
  await reaching(() => modelsOf(db).checkpoint.createMany({ data, skipDuplicates: true }));
}
