import type { DeliveryLedger } from "../../domain/delivery/delivery-ledger.ts";
import type { Database } from "../postgres/database.ts";
import { inTransactionByIndex } from "../postgres/transaction.ts";
import { type ClaimMemory, claimedDeliveries, emptyMemory } from "./claim-memory.ts";

/**
 * Says whether any delivery may wait, due or not, and whether any is claimed. Where neither is so,
 * there is nothing to do. Rows that the last claim knew may be gone by now: the next claim finds
 * out.
 */
export async function readPending(
  db: Database,
  memory: ClaimMemory = emptyMemory(),
): ReturnType<DeliveryLedger["readPending"]> {
  const isKnown = memory.webhooks.size > 0;
  const [row] = await inTransactionByIndex(
    db,
    (tx) => tx.$queryRaw<{ isWaiting: boolean; isClaimed: boolean }[]>`
      SELECT ${isKnown}::boolean OR EXISTS (
          SELECT FROM due_delivery WHERE position >= ${memory.position ?? 0n}) AS "isWaiting",
        EXISTS (SELECT FROM ${claimedDeliveries(memory)} c) AS "isClaimed"`,
  );
  return row ?? { isWaiting: true, isClaimed: true };
}
