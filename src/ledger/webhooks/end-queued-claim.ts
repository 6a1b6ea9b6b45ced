import { Prisma } from "../generated/client.ts";

/**
 * Ends a claim that waits in the queue, when its delivery `d` goes to another webhook or is
 * cancelled. A claim whose POST has begun lasts until its attempt is recorded or its lease ends.
 * Until then it counts as in flight. Otherwise a business could have any number in flight by
 * registering webhooks. The outcome of such an attempt changes nothing.
 */
export const endQueuedClaim = Prisma.sql`
  claim_token = CASE WHEN d.begun_at IS NULL THEN NULL ELSE d.claim_token END,
  claim_expires_at = CASE WHEN d.begun_at IS NULL THEN NULL ELSE d.claim_expires_at END,
  unrecorded = CASE WHEN d.begun_at IS NULL THEN 0 ELSE d.unrecorded END`;
