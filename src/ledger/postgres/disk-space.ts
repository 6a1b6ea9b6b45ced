import { Fault } from "../../domain/fault.ts";
import type { Database } from "./database.ts";
import { statementsOf } from "./statements.ts";

/** Rows that PostgreSQL writes to a temporary file: about half a MB. */
const rows = 20_000;

/** disk_full, of PostgreSQL's table of error codes. */
const diskFull = "53100";

/**
 * Has PostgreSQL write a temporary file, which is gone with the statement: no row, no transaction
 * id and no log is written. A process that only reads notices a full disk so, too. Safe to repeat,
 * also on a replica.
 * @throws Fault `database_unavailable`, which says so where it is the disk
 */
export async function requireDiskSpace(db: Database): Promise<void> {
  try {
    // So little that the rows do not stay in memory. It is set before the rows are asked for, which
    // are as many as its answer says, and for this statement alone.
    await statementsOf(db).$queryRaw`
      SELECT (SELECT count(*) FROM generate_series(1, CASE little.memory WHEN '64kB' THEN ${rows}::int END))
      FROM (SELECT set_config('work_mem', '64kB', true) AS memory OFFSET 0) little`;
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    throw new Fault("database_unavailable", "The disk of PostgreSQL is full.", { cause: error });
  }
}

function isDiskFull(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ("code" in cause && cause.code === diskFull) return true;
  return false;
}
