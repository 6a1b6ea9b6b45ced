import { chainAudit } from "../../ledger/businesses/audit-chain.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Loop } from "../../runtime/loop.ts";
import { lookEvery } from "./look-every.ts";

/**
 * Places the entries of the audit trail in their hash chain, when woken and once a minute. Every
 * process runs this part, whatever its roles; only one works at a time. Never in trouble: an alert
 * reports it if no process places entries.
 */
export function keepAuditChain({ db, log }: { db: Database; log: Logger }): Loop {
  return lookEvery({
    name: "audit chain",
    everyMs: 60_000,
    retryMs: 1_000,
    stuckAfterMs: null,
    async look() {
      for (let hasMore = true; hasMore; ) {
        const chained = await chainAudit(db);
        for (const id of chained.refused) log.error({ id }, "audit.refused");
        hasMore = chained.hasMore;
      }
    },
    onError: (error) => log.warn({ error }, "audit.not_chained"),
  });
}
