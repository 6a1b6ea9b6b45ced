import { Prisma } from "../generated/client.ts";

/**
 * The deliveries that wait: those that nobody has claimed, and those that are claimed. Both are few
 * beside what was delivered, and nothing of that is read.
 */
export const waitingDeliveries = Prisma.sql`(
  SELECT delivery_id AS id, webhook_id, business_id, due_at, created_at FROM due_delivery
  UNION ALL SELECT id, webhook_id, business_id, due_at, created_at FROM delivery
    WHERE claim_token IS NOT NULL AND status = 'waiting')`;
