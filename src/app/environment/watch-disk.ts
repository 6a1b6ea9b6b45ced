import type { Database } from "../../ledger/postgres/database.ts";
import { requireDiskSpace } from "../../ledger/postgres/disk-space.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Service } from "../../runtime/service.ts";
import { lookEvery } from "./look-every.ts";

/** Readiness shows this part in trouble while PostgreSQL has too little disk space to write. */
export function watchDisk({ db, log }: { db: Database; log: Logger }): Service {
  return lookEvery({
    name: "disk",
    everyMs: 10_000,
    look: () => requireDiskSpace(db),
    onError: (error, failures) => log.error({ error, failures }, "disk.unavailable"),
  });
}
