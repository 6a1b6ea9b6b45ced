import type { Business, BusinessFilter, BusinessSettings } from "../../domain/business/business.ts";
import { idAt } from "../../domain/id.ts";
import { requireFound } from "../../domain/not-found.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import { hasPart } from "../postgres/has-part.ts";
import { type Models, modelsOf } from "../postgres/models.ts";
import { pageQuery } from "../postgres/page-query.ts";
import { reaching } from "../postgres/reaching.ts";
import { readRows } from "../postgres/statements.ts";
import type { Tx } from "../postgres/transaction.ts";

export async function createBusiness(
  tx: Tx,
  business: { name: string; isVerified: boolean },
): Promise<Business> {
  const now = new Date();
  const verifiedAt = business.isVerified ? now : null;
  return tx.business.create({
    data: { id: idAt(now.getTime()), name: business.name, verifiedAt },
  });
}

/**
 * Marks a business as verified. Safe to repeat: the time of the first call stays.
 * @throws Fault `business_not_found`
 */
export async function verifyBusiness(tx: Tx, id: string): Promise<Business> {
  await tx.business.updateMany({
    where: { id, verifiedAt: null },
    data: { verifiedAt: new Date() },
  });
  return requireBusiness(tx, id);
}

/**
 * Suspends a business: its keys are refused, and its wallets stay watched. Safe to repeat.
 * @throws Fault `business_not_found`
 */
export async function suspendBusiness(tx: Tx, id: string): Promise<Business> {
  await tx.business.updateMany({
    where: { id, suspendedAt: null },
    data: { suspendedAt: new Date() },
  });
  return requireBusiness(tx, id);
}

/** Ends a suspension. Safe to repeat. @throws Fault `business_not_found` */
export async function resumeBusiness(tx: Tx, id: string): Promise<Business> {
  await tx.business.updateMany({ where: { id }, data: { suspendedAt: null } });
  return requireBusiness(tx, id);
}

/** @throws Fault `business_not_found` */
export async function setBusiness(
  tx: Tx,
  id: string,
  settings: BusinessSettings,
): Promise<Business> {
  await tx.business.updateMany({ where: { id }, data: settings });
  return requireBusiness(tx, id);
}

/** The businesses that a filter leaves, newest first. */
export async function listBusinesses(
  db: Database,
  page: PageRequest,
  { named, ids }: BusinessFilter = {},
): Promise<Page<Business>> {
  const among = named === undefined ? ids : await idsNamed(db, page, { named, ids });
  const where = among === undefined ? {} : { AND: { id: { in: [...among] } } };
  const rows = await reaching(() => modelsOf(db).business.findMany(pageQuery(where, page)));
  return toPage(rows, page.limit);
}

/** The ids of a page and one more. Prisma's own "contains" would read % and _ as patterns. */
async function idsNamed(
  db: Database,
  page: PageRequest,
  { named, ids }: { named: string; ids: readonly string[] | undefined },
): Promise<string[]> {
  const among = ids === undefined ? null : arrayLiteral(ids);
  const rows = await readRows<{ id: string }>(
    db,
    Prisma.sql`SELECT id FROM business
      WHERE ${hasPart("name", named.trim().toLowerCase())}
        AND (${page.afterId}::uuid IS NULL OR id < ${page.afterId}::uuid)
        AND (${among}::text IS NULL OR id = ANY(${among}::uuid[]))
      ORDER BY id DESC LIMIT ${page.limit + 1}`,
  );
  return rows.map(({ id }) => id);
}

/** @throws Fault `business_not_found` */
export async function readBusiness(db: Database, id: string): Promise<Business> {
  return reaching(() => requireBusiness(modelsOf(db), id));
}

/** @throws Fault `business_not_found` */
export async function requireBusiness(models: Models, id: string): Promise<Business> {
  return requireFound(await models.business.findUnique({ where: { id } }), "business_not_found");
}
