import { systemClock as clock } from "../../runtime/clock.ts";
import { createLoop, type Loop } from "../../runtime/loop.ts";

/** One look that fails may be a moment's; the next one comes before this, in ms. */
const stuckAfterMs = 15_000;

type Look = {
  /** The part's name in readiness. */
  name: string;
  everyMs: number;
  /** The pause after a failure; left out: the same. */
  retryMs?: number;
  /** Throws while what is looked at is not as it should be. */
  look: () => Promise<void>;
  onError: (error: unknown, failures: number) => void;
};

/**
 * A part without work of its own: it looks at something again and again, and readiness shows by it
 * when a look fails.
 */
export function lookEvery({ name, everyMs, retryMs = everyMs, look, onError }: Look): Loop {
  return createLoop({
    name,
    onError,
    clock,
    stuckAfterMs,
    async step() {
      await look();
      return { idleMs: everyMs };
    },
    pollMs: retryMs,
    maxBackoffMs: retryMs,
  });
}
