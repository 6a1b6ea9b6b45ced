import type { ApiKey, ApiKeyRecord, KeyHolder } from "../../domain/business/api-key.ts";
import { idAt } from "../../domain/id.ts";
import { requireFound } from "../../domain/not-found.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import { type Database, reaching } from "../postgres/database.ts";
import { pageQuery } from "../postgres/page-query.ts";
import { requireBusiness } from "./businesses.ts";

const shown = {
  id: true,
  businessId: true,
  label: true,
  prefix: true,
  createdAt: true,
  revokedAt: true,
} as const;

/** Keeps what may be kept of a fresh key. @throws Fault `business_not_found` */
export async function createApiKey(
  db: Database,
  key: { businessId: string; label: string | null; record: ApiKeyRecord },
): Promise<ApiKey> {
  const { businessId, label, record } = key;
  return reaching(async () => {
    await requireBusiness(db, businessId);
    const data = { id: idAt(Date.now()), businessId, label, ...record };
    return db.apiKey.create({ data, select: shown });
  });
}

/** The key is refused from now on, for ever. Safe to repeat: the first time counts. @throws Fault `api_key_not_found` */
export async function revokeApiKey(db: Database, id: string): Promise<ApiKey> {
  return reaching(async () => {
    await db.apiKey.updateMany({
      where: { id, revokedAt: null },
      data: { revokedAt: new Date() },
    });
    const key = await db.apiKey.findUnique({ where: { id }, select: shown });
    return requireFound(key, "api_key_not_found");
  });
}

/** Newest first. @throws Fault `business_not_found` */
export async function listApiKeys(
  db: Database,
  businessId: string,
  page: PageRequest,
): Promise<Page<ApiKey>> {
  return reaching(async () => {
    await requireBusiness(db, businessId);
    const rows = await db.apiKey.findMany({ ...pageQuery({ businessId }, page), select: shown });
    return toPage(rows, page.limit);
  });
}

/** Whose key this is, named by its digest or its id, and whether it still opens anything; null: nobody's. */
export async function findKeyHolder(
  db: Database,
  key: { digest: string } | { id: string },
): Promise<KeyHolder | null> {
  const found = await reaching(() =>
    db.apiKey.findUnique({
      where: key,
      select: {
        id: true,
        businessId: true,
        revokedAt: true,
        business: { select: { verifiedAt: true, suspendedAt: true } },
      },
    }),
  );
  if (found === null) return null;
  return {
    keyId: found.id,
    businessId: found.businessId,
    isRevoked: found.revokedAt !== null,
    isVerified: found.business.verifiedAt !== null,
    isSuspended: found.business.suspendedAt !== null,
  };
}
