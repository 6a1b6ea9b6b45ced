import type { DeliveryRecovery } from "../domain/delivery/recovery.ts";
import { readDeliveryRecovery } from "../ledger/deliveries/read-recoveries.ts";
import { recoverSome } from "../ledger/deliveries/recover.ts";
import type { Database } from "../ledger/postgres/database.ts";
import { systemClock as clock } from "../runtime/clock.ts";

/** Follows a recovery until it is over, or until it waits for its webhook. */
export type FollowRecovery = (
  recovery: Pick<DeliveryRecovery, "id" | "webhookId">,
  onProgress: (recovery: DeliveryRecovery) => void,
) => Promise<DeliveryRecovery>;

/** The pause between two batches, in which claims of the webhook and other work can run. */
const pauseMs = 100;

/**
 * Runs batches of a recovery in this process too, beside those of a daemon. Safe to interrupt at
 * any time: a daemon continues.
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
