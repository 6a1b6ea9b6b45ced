import { readPrices } from "../../ledger/balances/prices.ts";
import { readStatus } from "../../ledger/chain/chain-status.ts";
import { readAuditWaiting } from "../../ledger/installation/audit-waiting.ts";
import { readLiveness } from "../../ledger/installation/read-liveness.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import { readTableSizes, readVacuuming } from "../../ledger/postgres/measures.ts";
import { readWebhookTrouble } from "../../ledger/webhooks/failing-webhooks.ts";
import { readLines } from "../../ledger/webhooks/lines.ts";
import { createMetrics, type Metrics } from "../../metrics/metrics.ts";
import { systemClock as clock } from "../../runtime/clock.ts";

/** The metrics: what this process counts, and what the ledger knows about all processes. */
export function openMetrics({ db }: { db: Database }): Metrics {
  return createMetrics({
    readStatus: (nowMs) => readStatus(db, nowMs),
    readLiveness: () => readLiveness(db),
    readWebhookTrouble: () => readWebhookTrouble(db),
    readTableSizes: () => readTableSizes(db),
    readPrices: () => readPrices(db),
    readAuditWaiting: () => readAuditWaiting(db),
    readVacuuming: () => readVacuuming(db),
    readLines: () => readLines(db),
    clock,
  });
}
