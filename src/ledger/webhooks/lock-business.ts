import { notFound } from "../../domain/not-found.ts";
import type { Tx } from "../postgres/transaction.ts";

/**
 * Locks a business for a change of what it has, which must be short: the commit of a block that
 * notifies the business waits for it.
 * @throws Fault `business_not_found`
 */
export async function lockBusiness(tx: Tx, businessId: string): Promise<void> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM business WHERE id = ${businessId}::uuid FOR NO KEY UPDATE`;
  if (rows.length === 0) throw notFound("business_not_found");
}

/**
 * Keeps the current webhooks of a business as they are. It is notified meanwhile, as those who
 * notify hold the same lock.
 * @throws Fault `business_not_found`
 */
export async function holdBusiness(tx: Tx, businessId: string): Promise<void> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM business WHERE id = ${businessId}::uuid FOR SHARE`;
  if (rows.length === 0) throw notFound("business_not_found");
}

type First = { id: string; url: string; isOrdered: boolean; holdsExhausted: boolean };

/**
 * The first webhook of a business, beside which others may stand; null: it has none. Locked as the
 * relay locks it: while its waiting deliveries move, none of them is claimed.
 */
export async function lockFirst(tx: Tx, businessId: string): Promise<First | null> {
  const rows = await tx.$queryRaw<First[]>`
    SELECT id, url, is_ordered AS "isOrdered", holds_exhausted AS "holdsExhausted" FROM webhook WHERE business_id = ${businessId}::uuid AND deleted_at IS NULL
      AND NOT is_additional FOR NO KEY UPDATE`;
  return rows[0] ?? null;
}
