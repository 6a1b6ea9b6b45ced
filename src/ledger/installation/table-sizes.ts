import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/**
 * Stores the size of each table with its indexes, once a day at the first call. Deletes sizes older
 * than three months. Safe to repeat, and for any number of processes.
 */
export async function noteTableSizes(db: Database): Promise<void> {
  await statementsOf(db).$executeRaw`
    WITH forgotten AS (DELETE FROM table_size WHERE day < current_date - 92)
    INSERT INTO table_size (table_name, day, at, bytes)
    SELECT relname, current_date, now(), pg_total_relation_size(oid)
    FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
    ON CONFLICT (table_name, day) DO NOTHING`;
}
