import type { DeliveryLedger } from "../../domain/delivery/delivery-ledger.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { type ClaimMemory, claimedDeliveries, emptyMemory } from "./claim-memory.ts";

/**
 * Says whether any delivery may wait, due or not, and whether any is claimed. Where neither is so,
 * there is nothing to do. Rows that the last claim knew may be gone by now: the next claim finds
 * out. One statement. An order makes sure of the indexes, also before the database has statistics.
 */
export async function readPending(
  db: Database,
  memory: ClaimMemory = emptyMemory(),
): ReturnType<DeliveryLedger["readPending"]> {
  const isKnown = memory.webhooks.size > 0;
  const [row] = await statementsOf(db).$queryRaw<Record<"isWaiting" | "isClaimed", boolean>[]>`
    SELECT ${isKnown}::boolean OR (SELECT true FROM due_delivery WHERE position >= ${memory.position ?? 0n}
        ORDER BY position LIMIT 1) IS NOT NULL AS "isWaiting",
      (SELECT true FROM ${claimedDeliveries(memory)} c ORDER BY claim_token LIMIT 1) IS NOT NULL AS "isClaimed"`;
  return row ?? { isWaiting: true, isClaimed: true };
}
