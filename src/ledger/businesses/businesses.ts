import type { Business, BusinessSettings } from "../../domain/business/business.ts";
import { idAt } from "../../domain/id.ts";
import { requireFound } from "../../domain/not-found.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import type { Database } from "../postgres/database.ts";
import { type Models, modelsOf } from "../postgres/models.ts";
import { pageQuery } from "../postgres/page-query.ts";
import { reaching } from "../postgres/reaching.ts";
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

/** Safe to repeat: the first time counts. @throws Fault `business_not_found` */
export async function verifyBusiness(tx: Tx, id: string): Promise<Business> {
  await tx.business.updateMany({
    where: { id, verifiedAt: null },
    data: { verifiedAt: new Date() },
  });
  return requireBusiness(tx, id);
}

/**
 * Its keys are refused from now on; its wallets stay watched. Safe to repeat. @throws Fault
 * `business_not_found`
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

export async function listBusinesses(db: Database, page: PageRequest): Promise<Page<Business>> {
  const rows = await reaching(() => modelsOf(db).business.findMany(pageQuery({}, page)));
  return toPage(rows, page.limit);
}

/** @throws Fault `business_not_found` */
export async function readBusiness(db: Database, id: string): Promise<Business> {
  return reaching(() => requireBusiness(modelsOf(db), id));
}

/** @throws Fault `business_not_found` */
export async function requireBusiness(models: Models, id: string): Promise<Business> {
  return requireFound(await models.business.findUnique({ where: { id } }), "business_not_found");
}
