import { checksToForget, type KeptCheck, silentS } from "../../domain/credits/credit-check.ts";
import { groupedBy } from "../../domain/grouped-by.ts";
import type { Database } from "../postgres/database.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";

/**
 * Deletes at most `limit` lines of one run: one past its time (`checksToForget`), or one whose
 * process ended before its end. Deletes the run with its last line. Safe to repeat, and for several
 * processes.
 * @returns how many lines and runs were deleted
 */
export async function pruneCreditChecks(
  db: Database,
  { limit }: { limit: number },
): Promise<number> {
  return inTransaction(db, async (tx) => {
    const id = await findForgotten(tx);
    if (id === null) return 0;
    // Unfinished runs are not shown, so nobody sees a part of this run.
    await tx.$executeRaw`
      UPDATE credit_check SET finished_at = NULL, seen_at = '-infinity' WHERE id = ${id}::uuid`;
    const lines = await tx.$executeRaw`
      DELETE FROM credit_line WHERE check_id = ${id}::uuid AND number IN (
        SELECT number FROM credit_line WHERE check_id = ${id}::uuid ORDER BY number LIMIT ${limit}::int)`;
    if (lines === limit) return lines;
    await tx.$executeRaw`DELETE FROM credit_check WHERE id = ${id}::uuid`;
    return lines + 1;
  });
}

type Row = KeptCheck & { businessId: string; isOver: boolean };

/** The id of one run to delete, locked against other processes; null: there is none. */
async function findForgotten(tx: Tx): Promise<string | null> {
  const rows = await tx.$queryRaw<Row[]>`
    SELECT id, business_id AS "businessId", credits AS lines,
      EXTRACT(epoch FROM clock_timestamp() - created_at)::float8 / 86400 AS "ageDays",
      finished_at IS NULL AND seen_at < clock_timestamp() - 2 * ${silentS}::int * interval '1 second' AS "isOver"
    FROM credit_check ORDER BY id DESC`;
  const others = rows.filter(({ isOver }) => !isOver);
  const ofBusiness = groupedBy(others, ({ businessId }) => businessId);
  const forgotten = [
    ...rows.filter(({ isOver }) => isOver).map(({ id }) => id),
    ...[...ofBusiness.values()].flatMap(checksToForget),
  ];
  const locked = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM credit_check WHERE id = ANY(${forgotten}::uuid[]) ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`;
  return locked[0]?.id ?? null;
}
