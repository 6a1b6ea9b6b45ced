import { leastIdAt } from "../../domain/id.ts";
import { sightingsKeptMs } from "../../domain/money/sighting.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/**
 * Deletes at most `limit` sightings whose block is older than `sightingsKeptMs`. Safe to repeat,
 * and for several processes.
 * @returns how many were deleted
 */
export async function pruneSightings(db: Database, { limit }: { limit: number }): Promise<number> {
  const oldest = leastIdAt(new Date(Date.now() - sightingsKeptMs));
  return statementsOf(db).$executeRaw`
    DELETE FROM sighting WHERE id IN (
      SELECT id FROM sighting WHERE id < ${oldest}::uuid ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
}
