import { noteTableSizes } from "../../ledger/installation/table-sizes.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Service } from "../../runtime/service.ts";
import { lookEvery } from "./look-every.ts";

/** One size a day is stored. A restart delays it by this time at most. */
const everyMs = 600_000;

/**
 * Stores the sizes of the tables, so that the operator's health can show their growth. Never
 * unhealthy: no other part depends on these sizes.
 */
export function noteSizes({ db, log }: { db: Database; log: Logger }): Service {
  let isStarting = true;
  return lookEvery({
    name: "sizes",
    everyMs,
    stuckAfterMs: null,
    async look() {
      // Skips the first look, because a start has enough to do.
      if (!isStarting) await noteTableSizes(db);
      isStarting = false;
    },
    onError: (error) => log.warn({ error }, "sizes.not_noted"),
  });
}
