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
  await tx.$executeRaw`
    WITH unsent AS (
      SELECT id FROM delivery WHERE claim_token = ANY(${arrayLiteral(tokens)}::uuid[])
      FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE delivery d SET claim_token = NULL, claim_expires_at = NULL, begun_at = NULL,
      unrecorded = d.unrecorded - CASE WHEN d.begun_at IS NULL THEN 0 ELSE 1 END
    FROM unsent WHERE d.id = unsent.id`;
}
