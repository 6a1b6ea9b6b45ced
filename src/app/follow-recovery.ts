import type { DeliveryRecovery } from "../domain/delivery/recovery.ts";
import { readDeliveryRecovery } from "../ledger/deliveries/read-recoveries.ts";
import { recoverSome } from "../ledger/deliveries/recover.ts";
import type { Database } from "../ledger/postgres/database.ts";
import { systemClock as clock } from "../runtime/clock.ts";

/** Stays with a recovery until it is over, or waits for its webhook. */
export type FollowRecovery = (
  recovery: Pick<DeliveryRecovery, "id" | "webhookId">,
  onProgress: (recovery: DeliveryRecovery) => void,
) => Promise<DeliveryRecovery>;

/** Between two batches: claims of the webhook, and everybody else, have their turn. */
const pauseMs = 100;

/**
 * Does the batches of a recovery in this process, beside those that a daemon does. Safe to break
 * off at any time: a daemon goes on.
 */
export function createFollowRecovery({ db }: { db: Database }): FollowRecovery {
  const never = new AbortController().signal;
  return async ({ id, webhookId }, onProgress) => {
    const read = () => readDeliveryRecovery(db, { businessId: null, webhookId, recoveryId: id });
    while ((await recoverSome(db, id)) !== null) {
      onProgress(await read());
      await clock.sleep(pauseMs, never);
    }
    return read();
  };
}
