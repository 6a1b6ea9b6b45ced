import type { ClaimQueue } from "../domain/delivery/claim-queue.ts";
import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import type { Logger } from "../runtime/logger.ts";
import type { StepResult } from "../runtime/loop.ts";

export type RelayPorts = {
  ledger: Pick<DeliveryLedger, "claimDeliveries" | "giveBackClaim">;
  queue: Pick<ClaimQueue, "enqueue">;
  log: Logger;
};

/**
 * One step of the relay: claims due deliveries, then, with the claims committed, puts one job for each into the queue.
 * What cannot be enqueued is given back and the error thrown on; it counts as no attempt. A crash in between leaves
 * claims without jobs, which the sweep finds. Safe to run anywhere, any number of times.
 */
export async function relay({ ledger, queue, log }: RelayPorts): Promise<StepResult> {
  const claims = await ledger.claimDeliveries();
  if (claims.length === 0) return "idle";
  try {
    await queue.enqueue(claims);
  } catch (error) {
    await ledger.giveBackClaim({ tokens: claims.map(({ token }) => token) });
    throw error;
  }
  const deliveries = claims.reduce((sum, claim) => sum + claim.deliveries, 0);
  log.debug({ claims: claims.length, deliveries }, "claims.enqueued");
  return "again";
}
