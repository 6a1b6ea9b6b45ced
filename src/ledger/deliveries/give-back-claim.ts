import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

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
