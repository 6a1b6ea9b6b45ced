import { noteTableSizes } from "../../ledger/installation/table-sizes.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Service } from "../../runtime/service.ts";
import { lookEvery } from "./look-every.ts";

/** One size a day is kept; a restart delays it by this much at most. */
const everyMs = 600_000;

/**
 * Keeps how large the tables are, for what the operator's health shows of their growth. Never
 * unhealthy: nothing waits for it.
 */
export function noteSizes({ db, log }: { db: Database; log: Logger }): Service {
  let isStarting = true;
  const service = lookEvery({
    name: "sizes",
    everyMs,
    async look() {
      // At the start there is enough to do.
      if (!isStarting) await noteTableSizes(db);
      isStarting = false;
    },
    onError: (error) => log.warn({ error }, "sizes.not_noted"),
  });
  return { ...service, trouble: () => null };
}
