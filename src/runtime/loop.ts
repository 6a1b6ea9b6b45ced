import type { Clock } from "./clock.ts";
import type { Service } from "./service.ts";
import { sleepToTick, tickMs } from "./ticks.ts";
import { troubleOf } from "./trouble.ts";

/**
 * The result of a step. `again`: the next step follows at once. `idle`: it follows after `pollMs`,
 * or when woken. `idleMs`: the same, after that many ms. A wait of a second or more ends at the
 * last tick within it, together with other waits (ticks.ts).
 */
export type StepResult = "again" | "idle" | { idleMs: number };

export type Loop = Service & {
  /** Ends an idle wait early. A call during a step ends the next wait. */
  wake: () => void;
};

/**
 * Runs one bounded step again and again. A step that throws is reported, and tried again after a
 * pause that doubles from `pollMs` to `maxBackoffMs`. `wake` does not shorten that pause. `stop`
 * aborts the step's signal, and waits for the step. A loop is in trouble until its first step has
 * succeeded. It is in trouble again if no step succeeds for `stuckAfterMs` after one was due. Null:
 * it is never in trouble.
 */
export function createLoop(options: {
  name: string;
  step: (signal: AbortSignal) => Promise<StepResult>;
  onError: (error: unknown, failures: number) => void;
  clock: Clock;
  pollMs: number;
  maxBackoffMs: number;
  stuckAfterMs: number | null;
}): Loop {
  const { name, step, onError, clock, pollMs, maxBackoffMs, stuckAfterMs } = options;
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  let interrupt: AbortController | null = null;
  let isWoken = false;
  /** When the next step was due or is due. Null: none has succeeded yet. */
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
        // A stop during the step could not interrupt a wait that had not begun.
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
      if (stuckAfterMs === null) return null;
      if (dueMs !== null && clock.elapsed() - dueMs < stuckAfterMs) return null;
      if (!(lastError instanceof Error)) return troubleOf("no_step", "no step has ended");
      const { message } = lastError;
      return {
        message,
        causes: [{ code: "failed", values: { error: message }, error: lastError }],
      };
    },
  };
}
