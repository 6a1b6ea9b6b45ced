import { systemClock as clock } from "../../runtime/clock.ts";
import { createLoop, type Loop } from "../../runtime/loop.ts";

/**
 * The part counts as stuck after this time without a look, in ms. One failed look may be
 * short-lived.
 */
const stuckAfterMs = 15_000;

type Look = {
  /** The part's name in readiness. */
  name: string;
  everyMs: number;
  /** The pause after a failure, in ms. Left out: `everyMs`. */
  retryMs?: number;
  /** Throws while something is wrong. */
  look: () => Promise<void>;
  onError: (error: unknown, failures: number) => void;
};

/** Makes a part that only looks at something again and again. Readiness shows a failed look. */
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
