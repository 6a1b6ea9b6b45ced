import type { DeliveryLedger } from "../../domain/delivery/delivery-ledger.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { ask } from "../postgres/shared-statement.ts";
import { type ClaimMemory, claimedDeliveries, emptyMemory } from "./claim-memory.ts";

/**
 * Reads whether any delivery waits, due or not, and whether any is claimed. If neither, there is
 * nothing to do. It may say yes for rows that are gone, and the next claim notices. One query.
 * ORDER BY makes the planner use the indexes, also before the database has statistics.
 */
export async function readPending(
  db: Database,
  memory: ClaimMemory = emptyMemory(),
): ReturnType<DeliveryLedger["readPending"]> {
  const isKnown = memory.webhooks.size > 0 || memory.unanswered.length > 0;
  const answer = () => Prisma.sql`
    SELECT jsonb_build_object(
      'isWaiting', ${isKnown}::boolean OR (SELECT true FROM due_delivery WHERE position >= ${memory.position ?? 0n}
        ORDER BY position LIMIT 1) IS NOT NULL,
      'isClaimed', (SELECT true FROM ${claimedDeliveries(memory)} c ORDER BY claim_token LIMIT 1) IS NOT NULL)`;
  const pending = (await ask(db, { name: "pending deliveries", answer })) as Pending | null;
  return pending ?? { isWaiting: true, isClaimed: true };
}

type Pending = Awaited<ReturnType<DeliveryLedger["readPending"]>>;
