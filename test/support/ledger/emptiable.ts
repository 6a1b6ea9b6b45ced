import type pg from "pg";
import { runSql } from "./databases.ts";

/** More than this is removed sooner with its database than row by row. */
const mostBytes = 4 * 1024 * 1024;

/**
 * Gives a template, migrated already, what every copy of it needs to be emptied: the rows that it
 * begins with, a note of each change to anything but rows, and the function that empties.
 */
export async function makeEmptiable(url: string): Promise<void> {
  await runSql(
    url,
    `CREATE SCHEMA emptiable;
     CREATE TABLE emptiable.first_installation AS TABLE installation;
     CREATE TABLE emptiable.first_migrations AS TABLE "_prisma_migrations";
     CREATE TABLE emptiable.altered ();
     CREATE FUNCTION emptiable.note() RETURNS event_trigger LANGUAGE plpgsql AS $note$
     BEGIN
       INSERT INTO emptiable.altered DEFAULT VALUES;
     END $note$;
     CREATE FUNCTION emptiable.empty() RETURNS boolean LANGUAGE plpgsql AS $empty$
     DECLARE
       written regclass[];
       name regclass;
       bytes bigint;
     BEGIN
       SELECT array_agg(oid::regclass), sum(pg_relation_size(oid)) INTO written, bytes FROM pg_class
       WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
         AND relname <> '_prisma_migrations' AND pg_relation_size(oid) > 0;
       IF bytes > ${mostBytes} OR EXISTS (TABLE emptiable.altered)
         OR EXISTS (SELECT FROM pg_class
                    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND reltuples >= 0)
         OR EXISTS (TABLE "_prisma_migrations" EXCEPT TABLE emptiable.first_migrations)
         OR EXISTS (TABLE emptiable.first_migrations EXCEPT TABLE "_prisma_migrations")
         OR EXISTS (SELECT FROM pg_db_role_setting JOIN pg_database ON pg_database.oid = setdatabase
                    WHERE datname = current_database())
       THEN
         RETURN false;
       END IF;
       SET LOCAL session_replication_role = replica;
       FOREACH name IN ARRAY written LOOP
         EXECUTE format('DELETE FROM %s', name);
       END LOOP;
       INSERT INTO installation TABLE emptiable.first_installation;
       PERFORM setval(seqrelid, seqstart, false) FROM pg_sequence
       WHERE pg_sequence_last_value(seqrelid) IS NOT NULL;
       RETURN true;
     END $empty$;
     CREATE EVENT TRIGGER emptiable ON ddl_command_end EXECUTE FUNCTION emptiable.note()`,
  );
}

/**
 * Removes all that was written to a copy of the template since it was made. False: it cannot be had
 * as it was, since more than rows was changed, too much was written, the planner has estimates of
 * a table, or somebody else uses it still.
 */
export async function emptyDatabase(pool: pg.Pool): Promise<boolean> {
  const isBusy = pool.waitingCount > 0 || pool.idleCount < pool.totalCount;
  if (isBusy) return false;
  try {
    const { rows } = await pool.query<{ isEmptied: boolean }>(
      `SELECT CASE WHEN (SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND backend_type = 'client backend') <= $1
           AND NOT EXISTS (SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
             WHERE locktype = 'advisory' AND datname = current_database())
         THEN emptiable.empty() ELSE false END AS "isEmptied"`,
      [Math.max(pool.totalCount, 1)],
    );
    return rows[0]?.isEmptied === true;
  } catch {
    return false;
  }
}
