import { Prisma } from "../generated/client.ts";

/**
 * Selects one of `rows`: of any business, its first by `place`. So businesses take turns, and none
 * waits for all the rows of another. Each row has a "businessId" and a `place`.
 */
export const inTurns = (rows: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT * FROM (
    SELECT DISTINCT ON ("businessId") * FROM (${rows}) r ORDER BY "businessId", place
  ) first ORDER BY random() LIMIT 1`;
