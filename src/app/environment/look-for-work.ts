import { readWaitingWork, type WaitingWork } from "../../ledger/installation/waiting-work.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Service } from "../../runtime/service.ts";
import { lookEvery } from "./look-every.ts";

/**
 * Looks once a second for work that any process may have left, and wakes the parts that do it. An
 * idle process then asks one question instead of one for each part. Never in trouble: the parts
 * also look by themselves, though much less often.
 */
export function lookForWork(
  { db, log }: { db: Database; log: Logger },
  wake: Record<keyof WaitingWork, () => void>,
): Service {
  return lookEvery({
    name: "waiting work",
    everyMs: 1_000,
    stuckAfterMs: null,
    async look() {
      const waiting = await readWaitingWork(db);
      if (waiting.audit) wake.audit();
      if (waiting.deliveries) wake.deliveries();
    },
    onError: (error) => log.debug({ error }, "work.not_looked_for"),
  });
}
