import type { RateLimit, TokensTaken } from "../../domain/business/rate-limit.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { prepared } from "../postgres/statement.ts";
import { readRows } from "../postgres/statements.ts";

type Row = { granted: number; waitUs: bigint };

/**
 * Takes up to `wanted` tokens from a bucket that all processes share, and answers how many it got.
 * All callers together never get more than the limit. One statement with the generic cell rate
 * algorithm, by the database's clock.
 */
export async function takeTokens(
  db: Database,
  asked: { bucket: string; wanted: number; limit: RateLimit },
): Promise<TokensTaken> {
  const { bucket, wanted, limit } = asked;
  const { burst } = limit;
  const tokenUs = Math.round(1_000_000 / limit.perSecond);
  const sql = Prisma.sql`${prepared}
      WITH clock AS (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_us)
      INSERT INTO rate_bucket AS b (name, full_at_us, granted)
      SELECT ${bucket}, now_us + LEAST(${wanted}::int, ${burst}::int) * ${tokenUs}::bigint, LEAST(${wanted}::int, ${burst}::int)
      FROM clock
      ON CONFLICT (name) DO UPDATE SET
        granted = LEAST(${wanted}::int, GREATEST(0, ${burst}::int - ceil(
          GREATEST(0, b.full_at_us - (SELECT now_us FROM clock))::numeric / ${tokenUs}::bigint)::int)),
        full_at_us = GREATEST(b.full_at_us, (SELECT now_us FROM clock)) + ${tokenUs}::bigint * LEAST(${wanted}::int, GREATEST(0,
          ${burst}::int - ceil(GREATEST(0, b.full_at_us - (SELECT now_us FROM clock))::numeric / ${tokenUs}::bigint)::int))
      RETURNING granted,
        full_at_us - (SELECT now_us FROM clock) - (${burst}::int - 1) * ${tokenUs}::bigint AS "waitUs"`;
  const [row] = await readRows<Row>(db, sql);
  if (row === undefined) return { granted: 0, waitMs: 1 };
  return { granted: row.granted, waitMs: Math.max(1, Math.ceil(Number(row.waitUs) / 1_000)) };
}
