import type { Snapshot } from "../domain/alerts/conditions.ts";
import { readPrices } from "./balances/prices.ts";
import { readStatus } from "./chain/chain-status.ts";
import { readAuditWaiting } from "./installation/audit-waiting.ts";
import { readLiveness } from "./installation/read-liveness.ts";
import type { Database } from "./postgres/database.ts";
import { readVacuuming } from "./postgres/measures.ts";
import { readWebhookTrouble } from "./webhooks/failing-webhooks.ts";

/**
 * Reads the state that alerts are decided by, at `nowMs` in ms since the epoch. /metrics, readiness
 * and `doctor` read parts of it too.
 */
export async function readAlertSnapshot(db: Database, nowMs: number): Promise<Snapshot> {
  const { chains, outbox } = await readStatus(db, nowMs);
  const [liveness, webhooks] = [await readLiveness(db), await readWebhookTrouble(db)];
  const [audit, vacuuming] = [await readAuditWaiting(db), await readVacuuming(db)];
  const prices = await readPrices(db);
  return { chains, outbox, liveness, webhooks, audit, vacuuming, prices };
}
