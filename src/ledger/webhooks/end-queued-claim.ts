import { Prisma } from "../generated/client.ts";

/**
 * Ends a claim that waits in the queue, for a delivery `d` that is given to another webhook, or to
 * none. A claim whose POST is under way holds until its attempt is recorded or its lease ends.
 * Until then it counts as in flight. Otherwise a business could have any number under way by
 * registering webhooks. The attempt's outcome then moves nothing.
 */
export const endQueuedClaim = Prisma.sql`
  claim_token = CASE WHEN d.begun_at IS NULL THEN NULL ELSE d.claim_token END,
  claim_expires_at = CASE WHEN d.begun_at IS NULL THEN NULL ELSE d.claim_expires_at END,
  unrecorded = CASE WHEN d.begun_at IS NULL THEN 0 ELSE d.unrecorded END`;
