import { heal } from "./course/heal.ts";
import { setUp } from "./course/set-up.ts";
import { suffer } from "./course/suffer.ts";
import { writeStatements } from "./ledger/write-statements.ts";
import { createWorld, type World } from "./world.ts";

export type Outcome = {
  seed: number;
  failures: string[];
  trace: readonly string[];
  counts: { turns: number; blocks: number; transactions: number; notifications: number };
};

/**
 * One run in a database of its own that holds the schema and nothing else: everything in it follows
 * from the seed.
 */
export async function simulate(options: {
  seed: number;
  databaseUrl: string;
  /**
   * How many of those that wait go on at the same time; with more than one PostgreSQL decides their
   * order, not the seed.
   */
  atOnce: number;
  /** Where the statements of its end are written; null: nowhere. */
  statements?: string | null;
}): Promise<Outcome> {
  const world = await createWorld(options);
  try {
    const actors = await setUp(world);
    await suffer(world, actors, options.atOnce);
    if (world.failures.length === 0) await heal(world, actors);
    const { statements = null } = options;
    if (statements !== null && world.failures.length === 0)
      await writeStatements(world, statements);
    return {
      ...options,
      failures: world.failures,
      trace: world.scheduler.trace,
      counts: await count(world),
    };
  } catch (error) {
    // Whatever it is, what should have been looked at has not been.
    world.fail(`the simulation ended: ${error instanceof Error ? error.stack : String(error)}`);
    const counts = { turns: world.scheduler.turns(), blocks: 0, transactions: 0, notifications: 0 };
    return { ...options, failures: world.failures, trace: world.scheduler.trace, counts };
  } finally {
    await world.close();
  }
}

async function count(world: World) {
  const [row] = await world.sql<{ transactions: number; notifications: number }>(
    `SELECT (SELECT count(*)::int FROM transaction) AS transactions,
       (SELECT count(*)::int FROM notification) AS notifications`,
  );
  const blocks = world.known.writtenAt.size;
  return { turns: world.scheduler.turns(), blocks, transactions: 0, notifications: 0, ...row };
}
