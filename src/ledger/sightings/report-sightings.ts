import type { ReportedSighting, UnreportedSighting } from "../../domain/money/sighting.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/** Reads sightings in confirmed blocks that are not reported yet, oldest first. */
export async function readUnreported(
  db: Database,
  chainName: string,
  limit: number,
): Promise<UnreportedSighting[]> {
  return statementsOf(db).$queryRaw<UnreportedSighting[]>`
    SELECT s.id, s.contract FROM sighting s
    WHERE s.chain_name = ${chainName} AND s.reported_at IS NULL AND NOT s.is_undone
      AND s.block_number <= (SELECT confirmed_number FROM chain WHERE name = ${chainName})
    ORDER BY s.block_number, s.id LIMIT ${limit}`;
}

/**
 * Reports sightings, with the symbols that their contracts say. A sighting that was reported or
 * undone meanwhile stays as it is. Safe to repeat.
 */
export async function reportSightings(
  db: Database,
  reported: readonly ReportedSighting[],
): Promise<void> {
  await statementsOf(db).$executeRaw`
    UPDATE sighting s SET symbol = r.symbol, reported_at = now()
    FROM jsonb_to_recordset(${JSON.stringify(reported)}::jsonb) AS r(id uuid, symbol text)
    WHERE s.id = r.id AND s.reported_at IS NULL AND NOT s.is_undone`;
}
