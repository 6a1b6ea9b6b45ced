import { Prisma } from "../generated/client.ts";

/**
 * The deliveries that wait: those that are due at a time, those behind an older one of their
 * wallet, and those that are claimed. All are few beside what was delivered, and nothing of that is
 * read.
 *
 * Find them in a part that is MATERIALIZED, and lock only what was found. A row that has changed
 * before its lock is there is joined once more. PostgreSQL then reads all of a union again, and
 * gives the row up at the first one that it does not match.
 */
export const waitingDeliveries = Prisma.sql`(
  SELECT delivery_id AS id, webhook_id, business_id, due_at, created_at FROM due_delivery
  UNION ALL SELECT id, webhook_id, business_id, due_at, created_at FROM delivery
    WHERE is_behind AND claim_token IS NULL AND status = 'waiting'
  UNION ALL SELECT id, webhook_id, business_id, due_at, created_at FROM delivery
    WHERE claim_token IS NOT NULL AND status = 'waiting')`;
