import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { createLoop } from "../runtime/loop.ts";
import type { Service } from "../runtime/service.ts";

/** How often something is said in the ledger. */
export const everyMs = 5_000;

/** Says something in the ledger every few seconds, and ends that when it is stopped. What fails is logged, and tried again. */
export function createReporting(of: {
  name: string;
  stuckAfterMs: number;
  report: () => Promise<void>;
  end: () => Promise<void>;
  /** What is logged of a failure. */
  events: { notReported: string; notEnded: string };
  clock: Clock;
  log: Logger;
}): Service {
  const { name, stuckAfterMs, report, end, events, clock, log } = of;
  const loop = createLoop({
    ...{ name, clock, stuckAfterMs, pollMs: everyMs, maxBackoffMs: everyMs },
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
