import type { Fault } from "../../domain/fault.ts";
import { findLaterGeneration } from "../../ledger/installation/generation.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Service } from "../../runtime/service.ts";
import { lookEvery } from "./look-every.ts";

/**
 * Ends a process whose database a newer release has migrated, where it cannot work beside that. The
 * migration waits for the end of every process that is connected, so this is for one that had lost
 * its connections meanwhile. Never unhealthy: the process ends.
 * @param onOutdated is called with what the process has to end with
 */
export function watchGeneration(of: {
  db: Database;
  log: Logger;
  onOutdated: (fault: Fault) => void;
}): Service {
  const service = lookEvery({
    name: "generation",
    everyMs: 5_000,
    async look() {
      const fault = await findLaterGeneration(of.db);
      if (fault !== null) of.onOutdated(fault);
    },
    onError: (error) => of.log.debug({ error }, "generation.not_read"),
  });
  return { ...service, trouble: () => null };
}
