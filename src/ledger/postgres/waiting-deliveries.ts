import { Prisma } from "../generated/client.ts";

/**
 * The deliveries that wait: those that are due at a time, those behind an older one of their
 * wallet, and those that are claimed. All are few beside what was delivered, and nothing of that is
 * read.
 */
export const waitingDeliveries = Prisma.sql`(
  SELECT delivery_id AS id, webhook_id, business_id, due_at, created_at FROM due_delivery
  UNION ALL SELECT id, webhook_id, business_id, due_at, created_at FROM delivery
    WHERE is_behind AND claim_token IS NULL AND status = 'waiting'
  UNION ALL SELECT id, webhook_id, business_id, due_at, created_at FROM delivery
    WHERE claim_token IS NOT NULL AND status = 'waiting')`;
