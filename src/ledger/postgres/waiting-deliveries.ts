import { Prisma } from "../generated/client.ts";

/**
 * The waiting deliveries: those with a due time, those behind an older one of their wallet, and
 * claimed ones. They are few, and delivered ones are not read.
 *
 * Select them in a MATERIALIZED part, and lock only the rows that it found. If a row changes before
 * it is locked, PostgreSQL joins it again. It would then read the whole union again, and drop the
 * row at the first part that does not match.
 */
export const waitingDeliveries = Prisma.sql`(
  SELECT delivery_id AS id, webhook_id, business_id, due_at, created_at FROM due_delivery
  UNION ALL SELECT id, webhook_id, business_id, due_at, created_at FROM delivery
    WHERE is_behind AND claim_token IS NULL AND status = 'waiting'
  UNION ALL SELECT id, webhook_id, business_id, due_at, created_at FROM delivery
    WHERE claim_token IS NOT NULL AND status = 'waiting')`;
