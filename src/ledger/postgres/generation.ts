import type pg from "pg";
import { Fault } from "../../domain/fault.ts";

/**
 * The generation of this release. A release that cannot work beside the one before it raises it,
 * here and in `installation.generation` by its first migration. 1: up to 0.2. 2: 0.3.
 */
export const generation = 2;

/** Reads the row as JSON, because generation 1 has no such column. There it is null. */
export const generationText = `SELECT (to_jsonb(installation)->>'generation')::int AS generation FROM installation`;

/** The generation of a database. Rejects if it has no tables. */
export async function readGeneration(client: Pick<pg.ClientBase, "query">): Promise<number> {
  const { rows } = await client.query<{ generation: number | null }>(generationText);
  return rows[0]?.generation ?? 1;
}

/**
 * Refuses a database that a release of a later generation has migrated. Accepts a database without
 * tables.
 * @throws Fault `database_too_new`, and what `reading` rejects with
 */
export async function requireGeneration(reading: Promise<number>): Promise<void> {
  const found = await reading.catch(unlessEmpty);
  if (found > generation)
    throw new Fault(
      "database_too_new",
      "A newer release has migrated the database, and this one cannot work beside it. End this process, and run the newer release.",
      { facts: { generation: found, known: generation } },
    );
}

/** undefined_table, of PostgreSQL's table of error codes. */
function unlessEmpty(error: unknown): number {
  if (error instanceof Error && "code" in error && error.code === "42P01") return generation;
  throw error;
}
