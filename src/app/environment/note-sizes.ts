import { noteTableSizes } from "../../ledger/installation/table-sizes.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import { systemClock as clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { createLoop } from "../../runtime/loop.ts";
import type { Service } from "../../runtime/service.ts";

/** Once a day is kept; of two looks at most one is lost to a restart. */
const everyMs = 600_000;

/** Keeps how large the tables are, for what the operator's health shows of their growth. Never unhealthy: nothing waits for it. */
export function noteSizes({ db, log }: { db: Database; log: Logger }): Service {
  let isStarting = true;
  const loop = createLoop({
    name: "sizes",
    async step() {
      // At the start there is enough to do.
      if (!isStarting) await noteTableSizes(db);
      isStarting = false;
      return "idle";
    },
    onError: (error, failures) => log.warn({ error, failures }, "sizes.not_noted"),
    clock,
    pollMs: everyMs,
    maxBackoffMs: everyMs,
    stuckAfterMs: Number.POSITIVE_INFINITY,
  });
  return { ...loop, trouble: () => null };
}
