import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/**
 * Makes the deliveries of claims that nobody has begun to send due again, at once and without
 * counting an attempt. Claims that were begun are left to their lease. Safe to repeat.
 * @returns how many deliveries
 */
export async function giveBackClaim(db: Database, claims: { tokens: string[] }): Promise<number> {
  return statementsOf(db).$executeRaw`
    UPDATE delivery SET claim_token = NULL, claim_expires_at = NULL
    WHERE claim_token = ANY(${claims.tokens}::uuid[]) AND begun_at IS NULL`;
}
