import { notFound } from "../../domain/not-found.ts";
import type { Tx } from "../postgres/transaction.ts";

/**
 * Locks a business to change what it has. Keep it short: a block's commit that notifies the
 * business waits for it.
 * @throws Fault `business_not_found`
 */
export async function lockBusiness(tx: Tx, businessId: string): Promise<void> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM business WHERE id = ${businessId}::uuid FOR NO KEY UPDATE`;
  if (rows.length === 0) throw notFound("business_not_found");
}

/**
 * Keeps the current webhooks of a business from being changed. Notifications go on, since they take
 * the same lock.
 * @throws Fault `business_not_found`
 */
export async function holdBusiness(tx: Tx, businessId: string): Promise<void> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM business WHERE id = ${businessId}::uuid FOR SHARE`;
  if (rows.length === 0) throw notFound("business_not_found");
}

type First = {
  id: string;
  url: string;
  isOrdered: boolean;
  holdsExhausted: boolean;
  arrangesLines: boolean;
};

/**
 * Locks and answers the first webhook of a business; null: it has none. The lock is the relay's, so
 * none of its deliveries is claimed while they move.
 */
export async function lockFirst(tx: Tx, businessId: string): Promise<First | null> {
  const rows = await tx.$queryRaw<First[]>`
    SELECT id, url, is_ordered AS "isOrdered", holds_exhausted AS "holdsExhausted", arranges_lines AS "arrangesLines"
    FROM webhook WHERE business_id = ${businessId}::uuid AND deleted_at IS NULL AND NOT is_additional
    FOR NO KEY UPDATE`;
  return rows[0] ?? null;
}
