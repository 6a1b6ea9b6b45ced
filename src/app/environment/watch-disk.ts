import type { Database } from "../../ledger/postgres/database.ts";
import { requireDiskSpace } from "../../ledger/postgres/disk-space.ts";
import { systemClock as clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { createLoop } from "../../runtime/loop.ts";
import type { Service } from "../../runtime/service.ts";

const pollMs = 10_000;
/** One that fails may be a moment's; the next one comes after as long. */
const stuckAfterMs = 15_000;

/** A part without work of its own: readiness shows by it that PostgreSQL has space for what is written next. */
export function watchDisk({ db, log }: { db: Database; log: Logger }): Service {
  return createLoop({
    name: "disk",
    async step() {
      await requireDiskSpace(db);
      return "idle";
    },
    onError: (error, failures) => log.error({ error, failures }, "disk.unavailable"),
    clock,
    pollMs,
    maxBackoffMs: pollMs,
    stuckAfterMs,
  });
}
