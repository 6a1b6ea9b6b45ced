import type pg from "pg";

/** How often each statement was asked since the last reset, most often first; none of ours. */
export async function readStatements(db: pg.Client): Promise<{ query: string; count: number }[]> {
  const { rows } = await db.query<{ query: string; count: number }>(
    `SELECT regexp_replace(query, '\\s+', ' ', 'g') AS query, sum(calls)::float8 AS count
    FROM pg_stat_statements
    WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND query NOT LIKE '%pg_stat_statements%'
    GROUP BY 1 ORDER BY 2 DESC`,
  );
  return rows;
}
