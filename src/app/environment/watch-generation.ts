import type { Fault } from "../../domain/fault.ts";
import { findLaterGeneration } from "../../ledger/installation/generation.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Service } from "../../runtime/service.ts";
import { lookEvery } from "./look-every.ts";

/**
 * Ends a process that cannot work with the schema of a newer release. The migration waits until
 * every connected process has ended. So this happens only to a process that had lost its
 * connections at that time. Never unhealthy: the process ends.
 * @param onOutdated called with the fault that the process has to end with
 */
export function watchGeneration(of: {
  db: Database;
  log: Logger;
  onOutdated: (fault: Fault) => void;
}): Service {
  return lookEvery({
    name: "generation",
    everyMs: 5_000,
    stuckAfterMs: null,
    async look() {
      const fault = await findLaterGeneration(of.db);
      if (fault !== null) of.onOutdated(fault);
    },
    onError: (error) => of.log.debug({ error }, "generation.not_read"),
  });
}
