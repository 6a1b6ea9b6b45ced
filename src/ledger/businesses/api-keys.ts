import {
  type ApiKey,
  type ApiKeyRecord,
  type KeyHolder,
  type KeyLimits,
  type KeyScope,
  keyScopes,
  type NewApiKey,
} from "../../domain/business/api-key.ts";
import { mostOfBusiness } from "../../domain/business/rate-limit.ts";
import { Fault } from "../../domain/fault.ts";
import { idAt } from "../../domain/id.ts";
import { notFound, requireFound } from "../../domain/not-found.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { pageQuery } from "../postgres/page-query.ts";
import { reaching } from "../postgres/reaching.ts";
import { readRows } from "../postgres/statements.ts";
import type { Tx } from "../postgres/transaction.ts";
import { requireBusiness } from "./businesses.ts";

const shown = {
  id: true,
  businessId: true,
  label: true,
  prefix: true,
  createdAt: true,
  revokedAt: true,
  scopes: true,
  networks: true,
  expiresAt: true,
  maxWallets: true,
  lastUsedAt: true,
} as const;

type Row = Omit<ApiKey, "scopes"> & { scopes: string[] };

function toKey(row: Row): ApiKey {
  return { ...row, scopes: row.scopes.filter(isScope) };
}

function isScope(word: string): word is KeyScope {
  return word in keyScopes;
}

/** The least time between two writes of a key's last use, in ms. */
const usedEveryMs = 60_000;

/** Stores a new key's record. @throws Fault `business_not_found`, `limit_reached` */
export async function createApiKey(tx: Tx, key: NewApiKey): Promise<ApiKey> {
  const { businessId, label, record, limits } = key;
  await requireBusiness(tx, businessId);
  await requireFewerKeys(tx, businessId);
  return insertKey(tx, { businessId, label, ...record, ...limits });
}

/**
 * Lets a business's keys be made one after another. It does not lock the business's row: a block
 * that pays the business would wait. It counts among all keys, and revoked ones stay for ever.
 * @throws Fault `limit_reached`
 */
async function requireFewerKeys(tx: Tx, businessId: string): Promise<void> {
  await tx.$executeRaw`
    SELECT pg_advisory_xact_lock(hashtextextended(${`chainbell.keys.${businessId}`}, 0))`;
  const valid = { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] };
  if ((await tx.apiKey.count({ where: { businessId, ...valid } })) < mostOfBusiness.keys) return;
  throw new Fault(
    "limit_reached",
    `The business has ${mostOfBusiness.keys} API keys that are valid: revoke one first.`,
  );
}

type NewRow = ApiKeyRecord & KeyLimits & { businessId: string; label: string | null };

async function insertKey(tx: Tx, row: NewRow): Promise<ApiKey> {
  const { scopes, networks } = row;
  const data = {
    ...row,
    plannedExpiresAt: row.expiresAt,
    id: idAt(Date.now()),
    scopes: [...scopes],
    networks: [...networks],
  };
  return toKey(await tx.apiKey.create({ data, select: shown }));
}

/**
 * Makes a key that replaces an old one, with the same limits. The old key works for `overlapMs`
 * more, or until its own expiry if that is earlier. The new key gets the same lifetime from now as
 * the old one was made for. So a second rotation of one key, whose replacement was lost, makes the
 * same key again.
 * @throws Fault `api_key_not_found`, also for a revoked key
 */
export async function rotateApiKey(
  tx: Tx,
  rotation: { id: string; overlapMs: number; record: ApiKeyRecord },
): Promise<ApiKey> {
  const { id, overlapMs, record } = rotation;
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM api_key WHERE id = ${id}::uuid AND revoked_at IS NULL FOR UPDATE`;
  if (rows.length === 0) throw notFound("api_key_not_found");
  const old = await tx.apiKey.findUniqueOrThrow({
    where: { id },
    select: { ...shown, plannedExpiresAt: true },
  });
  const nowMs = Date.now();
  const overMs = nowMs + overlapMs;
  await tx.apiKey.update({
    where: { id },
    data: { expiresAt: new Date(Math.min(overMs, old.expiresAt?.getTime() ?? overMs)) },
  });
  const { plannedExpiresAt: planned, createdAt } = old;
  const until = planned === null ? null : new Date(nowMs + planned.getTime() - createdAt.getTime());
  const { businessId, label, scopes, networks, maxWallets } = toKey(old);
  const limits = { scopes, networks, maxWallets, expiresAt: until };
  return insertKey(tx, { businessId, label, ...limits, ...record });
}

/**
 * Revokes a key for ever. Safe to repeat: the time of the first call stays.
 * @throws Fault `api_key_not_found`
 */
export async function revokeApiKey(tx: Tx, id: string): Promise<ApiKey> {
  await tx.apiKey.updateMany({
    where: { id, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  const key = await tx.apiKey.findUnique({ where: { id }, select: shown });
  return toKey(requireFound(key, "api_key_not_found"));
}

/** Revokes a business's own key. @throws Fault `api_key_not_found`, also for another's key */
export async function revokeOwnApiKey(
  tx: Tx,
  { businessId, id }: { businessId: string; id: string },
): Promise<ApiKey> {
  const own = await tx.apiKey.findFirst({ where: { id, businessId } });
  requireFound(own, "api_key_not_found");
  return revokeApiKey(tx, id);
}

/** The keys of a business, newest first. @throws Fault `business_not_found` */
export async function listApiKeys(
  db: Database,
  businessId: string,
  page: PageRequest,
): Promise<Page<ApiKey>> {
  return reaching(async () => {
    await requireBusiness(modelsOf(db), businessId);
    const rows = await modelsOf(db).apiKey.findMany({
      ...pageQuery({ businessId }, page),
      select: shown,
    });
    return toPage(rows.map(toKey), page.limit);
  });
}

/**
 * Finds the holder of a key by the key's digest or id, with what decides whether the key works.
 * Null: there is no such key. Notes the use of the key, at most once a minute.
 */
export async function findKeyHolder(
  db: Database,
  key: { digest: string } | { id: string },
): Promise<KeyHolder | null> {
  const found = await reaching(() =>
    modelsOf(db).apiKey.findUnique({
      where: key,
      select: {
        id: true,
        businessId: true,
        revokedAt: true,
        scopes: true,
        networks: true,
        expiresAt: true,
        lastUsedAt: true,
        business: { select: { verifiedAt: true, suspendedAt: true } },
      },
    }),
  );
  if (found === null) return null;
  await noteUse(db, found);
  return {
    scopes: found.scopes.filter(isScope),
    networks: found.networks,
    expiresAt: found.expiresAt,
    keyId: found.id,
    businessId: found.businessId,
    isRevoked: found.revokedAt !== null,
    isVerified: found.business.verifiedAt !== null,
    isSuspended: found.business.suspendedAt !== null,
  };
}

/**
 * Of the given keys and tokens, the ids of those that do not work at a moment. Such a key was
 * revoked, has expired or is unknown, or its business is suspended or not verified. Such a token
 * was ended. One statement.
 */
export async function findClosed(
  db: Database,
  asked: { keyIds: readonly string[]; tokenIds: readonly string[]; at: Date },
): Promise<Set<string>> {
  const rows = await readRows<{ id: string }>(
    db,
    Prisma.sql`
      SELECT asked.id FROM unnest(${arrayLiteral(asked.keyIds)}::uuid[]) AS asked(id)
        LEFT JOIN api_key k ON k.id = asked.id LEFT JOIN business b ON b.id = k.business_id
      WHERE k.id IS NULL OR k.revoked_at IS NOT NULL OR k.expires_at <= ${asked.at}
        OR b.suspended_at IS NOT NULL OR b.verified_at IS NULL
      UNION ALL SELECT id FROM ended_token WHERE id = ANY(${arrayLiteral(asked.tokenIds)}::uuid[])`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** The most keys in the answer of `listUsedKeys`. */
const mostUsed = 10_000;

/** The digests of keys used since a moment and not revoked, the last used first. */
export async function listUsedKeys(
  db: Database,
  since: Date,
): Promise<{ digest: string; usedAt: Date }[]> {
  return readRows(
    db,
    Prisma.sql`
      SELECT digest, last_used_at AS "usedAt" FROM api_key
      WHERE last_used_at > ${since} AND revoked_at IS NULL ORDER BY last_used_at DESC LIMIT ${mostUsed}`,
  );
}

async function noteUse(
  db: Database,
  { id, lastUsedAt }: { id: string; lastUsedAt: Date | null },
): Promise<void> {
  if (lastUsedAt !== null && lastUsedAt.getTime() > Date.now() - usedEveryMs) return;
  await reaching(() =>
    modelsOf(db).apiKey.updateMany({ where: { id }, data: { lastUsedAt: new Date() } }),
  );
}
