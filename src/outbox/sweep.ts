import type { ClaimQueue } from "../domain/delivery/claim-queue.ts";
import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import type { Logger } from "../runtime/logger.ts";

export type SweepPorts = {
  ledger: Pick<DeliveryLedger, "sweepClaims" | "listUnbegunClaims" | "giveBackClaim">;
  queue: Pick<ClaimQueue, "has">;
  log: Logger;
};

/**
 * Heals what went wrong between ledger and queue: claims whose lease has run out are due again, and claims whose jobs
 * are gone from the queue (it was emptied, or the relay died before it enqueued) are given back at once.
 * @returns how long the oldest job has been in the queue without being begun, in ms; 0 when there is none
 */
export async function sweep({ ledger, queue, log }: SweepPorts): Promise<number> {
  const { freed, postponed } = await ledger.sweepClaims();
  if (freed + postponed > 0) log.warn({ freed, postponed }, "claims.expired");
  const unbegun = await ledger.listUnbegunClaims();
  const isQueued = await Promise.all(unbegun.map(({ token }) => queue.has(token)));
  const lost = unbegun.filter((_claim, index) => !isQueued[index]).map(({ token }) => token);
  if (lost.length > 0) {
    const deliveries = await ledger.giveBackClaim({ tokens: lost });
    log.warn({ claims: lost.length, deliveries }, "claims.lost_by_queue");
  }
  return unbegun.find((_claim, index) => isQueued[index])?.ageMs ?? 0;
}
