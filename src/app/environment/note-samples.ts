import { noteSamples as note } from "../../ledger/chain/samples.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Service } from "../../runtime/service.ts";
import { lookEvery } from "./look-every.ts";

/** One sample a minute is stored. */
const everyMs = 60_000;

/**
 * Stores how endpoints answer and how much work waits, for the operator's charts. Never unhealthy:
 * no other part depends on these samples.
 */
export function noteSamples({ db, log }: { db: Database; log: Logger }): Service {
  return lookEvery({
    name: "samples",
    everyMs,
    stuckAfterMs: null,
    look: () => note(db),
    onError: (error) => log.warn({ error }, "samples.not_noted"),
  });
}
