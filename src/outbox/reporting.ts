import type { Clock } from "../runtime/clock.ts";
import type { LogEvent } from "../runtime/log-events.ts";
import type { Logger } from "../runtime/logger.ts";
import { createLoop } from "../runtime/loop.ts";
import type { Service } from "../runtime/service.ts";

/** The pause between two reports to the ledger. */
export const everyMs = 5_000;

/**
 * Reports something to the ledger every few seconds, and ends the report when it is stopped. Logs a
 * failure, and tries again.
 */
export function createReporting(of: {
  name: string;
  stuckAfterMs: number | null;
  report: () => Promise<void>;
  end: () => Promise<void>;
  /** The log events for a failure. */
  events: { notReported: LogEvent<"warn">; notEnded: LogEvent<"warn"> };
  clock: Clock;
  log: Logger;
}): Service {
  const { name, stuckAfterMs, report, end, events, clock, log } = of;
  const loop = createLoop({
    name,
    clock,
    stuckAfterMs,
    pollMs: everyMs,
    maxBackoffMs: everyMs,
    async step() {
      await report();
      return "idle";
    },
    onError: (error, failures) => log.warn({ error, failures }, events.notReported),
  });
  return {
    ...loop,
    async stop() {
      await loop.stop();
      await end().catch((error: unknown) => log.warn({ error }, events.notEnded));
    },
  };
}
