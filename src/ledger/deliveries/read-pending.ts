import type { DeliveryLedger } from "../../domain/delivery/delivery-ledger.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/**
 * Says whether any delivery waits, due or not, and whether any is claimed. Where neither is so,
 * there is nothing to do. Each is the first entry of an index. ORDER BY keeps the planner to it:
 * EXISTS may be a scan of everything that was ever delivered.
 */
export async function readPending(db: Database): ReturnType<DeliveryLedger["readPending"]> {
  const [row] = await statementsOf(db).$queryRaw<{ isWaiting: boolean; isClaimed: boolean }[]>`
    SELECT coalesce(
        (SELECT true FROM delivery WHERE status = 'waiting' AND attempts = 0 ORDER BY webhook_id, seq LIMIT 1),
        (SELECT true FROM delivery WHERE status = 'waiting' AND attempts > 0 ORDER BY webhook_id, due_at LIMIT 1),
        false) AS "isWaiting",
      coalesce(
        (SELECT true FROM delivery WHERE claim_token IS NOT NULL ORDER BY claim_token LIMIT 1),
        false) AS "isClaimed"`;
  return row ?? { isWaiting: true, isClaimed: true };
}
