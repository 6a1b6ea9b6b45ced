import type { Clock } from "./clock.ts";
import type { Service } from "./service.ts";
import { sleepToTick, tickMs } from "./ticks.ts";

/**
 * The result of a step. `again`: the next step comes at once. `idle`: it comes when woken, or when
 * `pollMs` have passed. `idleMs`: the same after so many ms. A wait of a second or more ends with
 * the last tick in it, when others end too (ticks.ts).
 */
export type StepResult = "again" | "idle" | { idleMs: number };

export type Loop = Service & {
  /** Ends an idle wait early. A wake during a step is remembered. */
  wake: () => void;
};

/**
 * Runs one bounded step again and again. A step that throws is reported and tried again after a
 * pause that doubles from `pollMs` to `maxBackoffMs`; a wake does not shorten that pause. `stop`
 * aborts the step's signal and waits for the step. A loop is in trouble before its first step has
 * succeeded, and when none has succeeded for `stuckAfterMs` after it was due.
 */
export function createLoop(options: {
  name: string;
  step: (signal: AbortSignal) => Promise<StepResult>;
  onError: (error: unknown, failures: number) => void;
  clock: Clock;
  pollMs: number;
  maxBackoffMs: number;
  stuckAfterMs: number;
}): Loop {
  const { name, step, onError, clock, pollMs, maxBackoffMs, stuckAfterMs } = options;
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  let interrupt: AbortController | null = null;
  let isWoken = false;
  /** When the next step was or is due; null: none has succeeded yet. */
  let dueMs: number | null = null;
  let lastError: unknown = null;

  async function run(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      isWoken = false;
      try {
        const result = await step(stopping.signal);
        failures = 0;
        lastError = null;
        dueMs = clock.elapsed();
        // A stop during the step had no wait to interrupt yet.
        if (result !== "again" && !isWoken && !stopping.signal.aborted)
          await waitIdle(result === "idle" ? pollMs : result.idleMs);
      } catch (error) {
        if (stopping.signal.aborted) break;
        failures += 1;
        lastError = error;
        onError(error, failures);
        await clock.sleep(
          Math.min(maxBackoffMs, pollMs * 2 ** Math.min(failures, 16)),
          stopping.signal,
        );
      }
    }
  }

  async function waitIdle(forMs: number): Promise<void> {
    interrupt = new AbortController();
    const { signal } = interrupt;
    dueMs = clock.elapsed() + forMs;
    await (forMs < tickMs ? clock.sleep(forMs, signal) : sleepToTick(clock, forMs, signal));
    dueMs = clock.elapsed();
    interrupt = null;
  }

  return {
    name,
    async start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      interrupt?.abort();
      await running;
    },
    wake() {
      isWoken = true;
      interrupt?.abort();
    },
    trouble() {
      if (dueMs !== null && clock.elapsed() - dueMs < stuckAfterMs) return null;
      return lastError instanceof Error ? lastError.message : "no step has ended";
    },
  };
}
