import type { DeliveryLedger } from "../../domain/delivery/delivery-ledger.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { ask } from "../postgres/shared-statement.ts";
import { type ClaimMemory, claimedDeliveries, emptyMemory } from "./claim-memory.ts";

/**
 * Says whether any delivery may wait, due or not, and whether any is claimed. Where neither is so,
 * there is nothing to do. Rows that the last claim knew may be gone by now: the next claim finds
 * out. One question. An order makes sure of the indexes, also before the database has statistics.
 */
export async function readPending(
  db: Database,
  memory: ClaimMemory = emptyMemory(),
): ReturnType<DeliveryLedger["readPending"]> {
  const isKnown = memory.webhooks.size > 0;
  const answer = () => Prisma.sql`
    SELECT jsonb_build_object(
      'isWaiting', ${isKnown}::boolean OR (SELECT true FROM due_delivery WHERE position >= ${memory.position ?? 0n}
        ORDER BY position LIMIT 1) IS NOT NULL,
      'isClaimed', (SELECT true FROM ${claimedDeliveries(memory)} c ORDER BY claim_token LIMIT 1) IS NOT NULL)`;
  const pending = (await ask(db, { name: "pending deliveries", answer })) as Pending | null;
  return pending ?? { isWaiting: true, isClaimed: true };
}

type Pending = Awaited<ReturnType<DeliveryLedger["readPending"]>>;
