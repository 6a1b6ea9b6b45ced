import { systemClock as clock } from "../../runtime/clock.ts";
import { createLoop, type Loop } from "../../runtime/loop.ts";

type Look = {
  /** The part's name in readiness. */
  name: string;
  everyMs: number;
  /** The pause after a failure, in ms. Left out: `everyMs`. */
  retryMs?: number;
  /**
   * The part counts as stuck after this time without a look, in ms. Left out: 15 s, because one
   * failed look may be short-lived. Null: it is never in trouble.
   */
  stuckAfterMs?: number | null;
  /** Throws while something is wrong. */
  look: () => Promise<void>;
  onError: (error: unknown, failures: number) => void;
};

/** Makes a part that only looks at something again and again. Readiness shows a failed look. */
export function lookEvery(of: Look): Loop {
  const { name, everyMs, retryMs = everyMs, stuckAfterMs = 15_000, look, onError } = of;
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
