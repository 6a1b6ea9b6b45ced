import type { DeliveryLedger } from "../../domain/delivery/delivery-ledger.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { ask } from "../postgres/shared-statement.ts";
import { type ClaimMemory, claimedDeliveries, emptyMemory, forget, isOld } from "./claim-memory.ts";

/**
 * Reads whether any delivery waits, due or not, and whether any is claimed. If neither, there is
 * nothing to do. It may say yes for rows that are gone, and the next claim notices. One query.
 *
 * Once the memory is old, a second query looks at everything. A failover may have brought back what
 * the memory skips. If there is nothing, the memory is right, and begins anew. Else it is emptied.
 */
export async function readPending(
  db: Database,
  memory: ClaimMemory = emptyMemory(),
): ReturnType<DeliveryLedger["readPending"]> {
  const pending = await look(db, memory);
  if (!isOld(memory, pending.nowMs)) return answerOf(pending);
  const all = await look(db, { ...emptyMemory(), unanswered: memory.unanswered });
  if (all.isWaiting || all.isClaimed) forget(memory);
  else memory.sinceMs = all.nowMs;
  return answerOf(all);
}

type Pending = Awaited<ReturnType<DeliveryLedger["readPending"]>>;

/** `nowMs`: the time by the database's clock. */
type Look = Pending & { nowMs: number };

const answerOf = ({ isWaiting, isClaimed }: Look): Pending => ({ isWaiting, isClaimed });

/** ORDER BY makes the planner use the indexes, also before the database has statistics. */
async function look(db: Database, memory: ClaimMemory): Promise<Look> {
  const isKnown = memory.webhooks.size > 0 || memory.unanswered.length > 0;
  const answer = () => Prisma.sql`
    SELECT jsonb_build_object(
      'nowMs', floor(extract(epoch FROM statement_timestamp()) * 1000)::float8,
      'isWaiting', ${isKnown}::boolean OR (SELECT true FROM due_delivery WHERE position >= ${memory.position ?? 0n}
        ORDER BY position LIMIT 1) IS NOT NULL,
      'isClaimed', (SELECT true FROM ${claimedDeliveries(memory)} c ORDER BY claim_token LIMIT 1) IS NOT NULL)`;
  const found = (await ask(db, { name: "pending deliveries", answer })) as Look | null;
  return found ?? { isWaiting: true, isClaimed: true, nowMs: memory.sinceMs ?? 0 };
}
