import { Fault } from "../../domain/fault.ts";
import type { Database } from "./database.ts";
import { statementsOf } from "./statements.ts";

/** PostgreSQL writes this many rows to a temporary file: about 0.5 MB. */
const rows = 20_000;

/** disk_full, of PostgreSQL's table of error codes. */
const diskFull = "53100";

/**
 * Tests whether PostgreSQL can write to its disk, by a temporary file that ends with the statement.
 * It writes no row, transaction id or log. So a process that only reads also notices a full disk.
 * Safe to repeat, also on a replica.
 * @throws Fault `database_unavailable`, whose message names a full disk
 */
export async function requireDiskSpace(db: Database): Promise<void> {
  try {
    // So little memory that the rows do not fit. The setting is for this statement alone. The
    // number of rows depends on the setting's result, so it is set before they are made.
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
