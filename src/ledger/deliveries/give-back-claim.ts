import { type Database, reaching } from "../postgres/database.ts";

/**
 * Makes the deliveries of claims that nobody has begun to send due again, at once and without counting an attempt.
 * Claims that were begun are left to their lease. Safe to repeat.
 * @returns how many deliveries
 */
export async function giveBackClaim(db: Database, claims: { tokens: string[] }): Promise<number> {
  return reaching(
    () => db.$executeRaw`
      UPDATE delivery SET claim_token = NULL, claim_expires_at = NULL
      WHERE claim_token = ANY(${claims.tokens}::uuid[]) AND begun_at IS NULL`,
  );
}

/**
 * Makes one delivery due again that was begun under a claim and then not sent: as if it had not been begun. Safe to
 * repeat.
 * @returns whether the claim still held
 */
export async function giveBackSend(
  db: Database,
  send: { deliveryId: string; token: string },
): Promise<boolean> {
  const given = await reaching(
    () => db.$executeRaw`
      UPDATE delivery SET claim_token = NULL, claim_expires_at = NULL, begun_at = NULL, unrecorded = unrecorded - 1
      WHERE id = ${send.deliveryId}::uuid AND claim_token = ${send.token}::uuid AND begun_at IS NOT NULL`,
  );
  return given === 1;
}
