import { type Database, inTransaction, reaching } from "../postgres/database.ts";

/** Ends an access token before it expires. Safe to repeat. Forgets those that have expired since. */
export async function endToken(
  db: Database,
  token: { id: string; expiresAt: Date },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.$executeRaw`DELETE FROM ended_token WHERE expires_at < now() - interval '1 minute'`;
    await tx.$executeRaw`
      INSERT INTO ended_token (id, expires_at) VALUES (${token.id}::uuid, ${token.expiresAt})
      ON CONFLICT (id) DO NOTHING`;
  });
}

/** Whether a token was ended. */
export async function isTokenEnded(db: Database, id: string): Promise<boolean> {
  return (await reaching(() => db.endedToken.findUnique({ where: { id } }))) !== null;
}
