import type { IssuedToken } from "../../domain/business/api-key.ts";
import { requireFound } from "../../domain/not-found.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { pageQuery } from "../postgres/page-query.ts";
import { reaching } from "../postgres/reaching.ts";
import { statementsOf } from "../postgres/statements.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";

/** Records a new access token, and deletes up to 100 expired ones. One statement. */
export async function recordToken(
  db: Database,
  { id, keyId, address, createdAt, expiresAt }: IssuedToken & { keyId: string },
): Promise<void> {
  await statementsOf(db).$executeRaw`
    WITH expired AS MATERIALIZED (
      SELECT id FROM access_token WHERE expires_at < ${createdAt} LIMIT 100 FOR UPDATE SKIP LOCKED
    ), forgotten AS (
      DELETE FROM access_token t USING expired WHERE t.id = expired.id
    )
    INSERT INTO access_token (id, api_key_id, address, created_at, expires_at)
    VALUES (${id}::uuid, ${keyId}::uuid, ${address}, ${createdAt}, ${expiresAt})`;
}

/** The access tokens of a key that are valid at a moment, newest first. */
export async function listTokens(
  db: Database,
  { keyId, at }: { keyId: string; at: Date },
  page: PageRequest,
): Promise<Page<IssuedToken>> {
  const valid = { apiKeyId: keyId, expiresAt: { gt: at } };
  const select = { id: true, address: true, createdAt: true, expiresAt: true };
  return toPage(
    await reaching(() => modelsOf(db).accessToken.findMany({ ...pageQuery(valid, page), select })),
    page.limit,
  );
}

/**
 * Ends an access token before it expires. Safe to repeat. Also deletes records of ended tokens that
 * have expired since.
 */
export async function endToken(
  db: Database,
  token: { id: string; expiresAt: Date },
): Promise<void> {
  await inTransaction(db, (tx) => end(tx, token));
}

/**
 * Ends a key's access token by its id, as endToken does.
 * @throws Fault `token_not_found`, also for a token that was ended or has expired
 */
export async function endListedToken(
  db: Database,
  { id, keyId, at }: { id: string; keyId: string; at: Date },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const where = { id, apiKeyId: keyId, expiresAt: { gt: at } };
    await end(tx, requireFound(await tx.accessToken.findFirst({ where }), "token_not_found"));
  });
}

async function end(tx: Tx, { id, expiresAt }: { id: string; expiresAt: Date }): Promise<void> {
  await tx.$executeRaw`DELETE FROM ended_token WHERE expires_at < now() - interval '1 minute'`;
  await tx.$executeRaw`
    INSERT INTO ended_token (id, expires_at) VALUES (${id}::uuid, ${expiresAt})
    ON CONFLICT (id) DO NOTHING`;
  await tx.accessToken.deleteMany({ where: { id } });
}

/** True if the token was ended before it expired. */
export async function isTokenEnded(db: Database, id: string): Promise<boolean> {
  return (await reaching(() => modelsOf(db).endedToken.findUnique({ where: { id } }))) !== null;
}
