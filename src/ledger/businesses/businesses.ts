import type { Business, BusinessSettings } from "../../domain/business/business.ts";
import { idAt } from "../../domain/id.ts";
import { requireFound } from "../../domain/not-found.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import { type Database, reaching, type Tx } from "../postgres/database.ts";
import { pageQuery } from "../postgres/page-query.ts";

export async function createBusiness(
  db: Database,
  business: { name: string; isVerified: boolean },
): Promise<Business> {
  const now = new Date();
  const verifiedAt = business.isVerified ? now : null;
  return reaching(() =>
    db.business.create({ data: { id: idAt(now.getTime()), name: business.name, verifiedAt } }),
  );
}

/** Safe to repeat: the first time counts. @throws Fault `business_not_found` */
export async function verifyBusiness(db: Database, id: string): Promise<Business> {
  return change(db, id, () =>
    db.business.updateMany({ where: { id, verifiedAt: null }, data: { verifiedAt: new Date() } }),
  );
}

/** Its keys are refused from now on; its wallets stay watched. Safe to repeat. @throws Fault `business_not_found` */
export async function suspendBusiness(db: Database, id: string): Promise<Business> {
  return change(db, id, () =>
    db.business.updateMany({ where: { id, suspendedAt: null }, data: { suspendedAt: new Date() } }),
  );
}

/** Ends a suspension. Safe to repeat. @throws Fault `business_not_found` */
export async function resumeBusiness(db: Database, id: string): Promise<Business> {
  return change(db, id, () =>
    db.business.updateMany({ where: { id }, data: { suspendedAt: null } }),
  );
}

/** @throws Fault `business_not_found` */
export async function setBusiness(
  db: Database,
  id: string,
  settings: BusinessSettings,
): Promise<Business> {
  return change(db, id, () => db.business.updateMany({ where: { id }, data: settings }));
}

async function change(db: Database, id: string, update: () => Promise<unknown>): Promise<Business> {
  return reaching(async () => {
    await update();
    return requireBusiness(db, id);
  });
}

export async function listBusinesses(db: Database, page: PageRequest): Promise<Page<Business>> {
  const rows = await reaching(() => db.business.findMany(pageQuery({}, page)));
  return toPage(rows, page.limit);
}

/** @throws Fault `business_not_found` */
export async function requireBusiness(tx: Tx, id: string): Promise<Business> {
  return requireFound(await tx.business.findUnique({ where: { id } }), "business_not_found");
}
