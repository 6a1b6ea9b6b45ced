import type { OldestPending } from "../../domain/watch/watcher-ledger.ts";
import type { Database } from "../postgres/database.ts";
import { prepared } from "../postgres/statement.ts";
import { statementsOf } from "../postgres/statements.ts";

/**
 * Reads the block of the oldest transaction that waits only for the confirmed height; null: there
 * is none.
 */
export async function readOldestPending(
  db: Database,
  chainName: string,
): Promise<OldestPending | null> {
  const rows = await statementsOf(db).$queryRaw<{ number: bigint; time: Date | null }[]>`
    ${prepared} SELECT t.block_number AS number, b.time FROM transaction t
      LEFT JOIN block b ON b.chain_name = t.chain_name AND b.number = t.block_number
    WHERE t.chain_name = ${chainName} AND t.status = 'pending' AND NOT t.orphaned AND NOT t.unproven
    ORDER BY t.block_number LIMIT 1`;
  const [row] = rows;
  return row === undefined
    ? null
    : { number: row.number, timeMs: row.time === null ? null : row.time.getTime() };
}
