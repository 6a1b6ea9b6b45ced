import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import { type Statements, statementsOf } from "../postgres/statements.ts";

/**
 * Makes the deliveries of claims that were not begun due again at once, without counting an
 * attempt. Begun claims stay until their lease ends. Safe to repeat.
 * @returns how many deliveries
 */
export async function giveBackClaim(db: Database, claims: { tokens: string[] }): Promise<number> {
  return statementsOf(db).$executeRaw`
    UPDATE delivery SET claim_token = NULL, claim_expires_at = NULL
    WHERE claim_token = ANY(${claims.tokens}::uuid[]) AND begun_at IS NULL`;
}

/**
 * Makes the deliveries of claims due again that nobody sends, begun or not: their commits were not
 * answered. The caller holds the lock of claims, so those commits are over. Deliveries that another
 * transaction locks wait for the end of their lease.
 */
export async function giveBackUnanswered(tx: Statements, tokens: readonly string[]): Promise<void> {
  await giveBackUnsent(tx, tokens, { where: Prisma.empty, passing: Prisma.sql`SKIP LOCKED` });
}

/** The time that a request may take to reach the database, in ms. */
const latencyMs = 1_000;

/**
 * Makes the deliveries of claims due again whose begin was not answered. Waits for that begin, if
 * it is still under way. Claims that were begun before it stay: a queue may hand out a job twice,
 * and whoever had it first sends its deliveries. Safe to repeat.
 * @param claims.withinMs how long ago the begin was asked for
 * @returns how many deliveries
 */
export function giveBackLostClaim(
  db: Database,
  claims: { tokens: string[]; withinMs: number },
): Promise<number> {
  const where = Prisma.sql`AND (begun_at IS NULL
    OR begun_at >= statement_timestamp() - ${claims.withinMs + latencyMs}::float8 * interval '1 ms')`;
  return giveBackUnsent(statementsOf(db), claims.tokens, { where, passing: Prisma.empty });
}

function giveBackUnsent(
  on: Pick<Statements, "$executeRaw">,
  tokens: readonly string[],
  { where, passing }: { where: Prisma.Sql; passing: Prisma.Sql },
): Promise<number> {
  return on.$executeRaw`
    WITH unsent AS (
      SELECT id FROM delivery WHERE claim_token = ANY(${arrayLiteral(tokens)}::uuid[]) ${where}
      ORDER BY id FOR NO KEY UPDATE ${passing}
    )
    UPDATE delivery d SET claim_token = NULL, claim_expires_at = NULL, begun_at = NULL,
      unrecorded = d.unrecorded - CASE WHEN d.begun_at IS NULL THEN 0 ELSE 1 END
    FROM unsent WHERE d.id = unsent.id`;
}
