import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/**
 * Keeps how large each table is with its indexes, the first time that it is asked on a day, and
 * forgets what is older than a quarter of a year. Safe to repeat, and for any number of processes.
 */
export async function noteTableSizes(db: Database): Promise<void> {
  await statementsOf(db).$executeRaw`
    WITH forgotten AS (DELETE FROM table_size WHERE day < current_date - 92)
    INSERT INTO table_size (table_name, day, at, bytes)
    SELECT relname, current_date, now(), pg_total_relation_size(oid)
    FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
    ON CONFLICT (table_name, day) DO NOTHING`;
}
