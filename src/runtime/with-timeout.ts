import type { Clock } from "./clock.ts";

/**
 * `late`: the time was over first. The work continues, and its later answer or error is ignored.
 */
export type Timed<T> = { kind: "done"; value: T } | { kind: "late" };

/**
 * The answer of some work, unless it takes longer than `timeoutMs`. Rejects if the work fails in
 * time.
 */
export async function withTimeout<T>(
  work: Promise<T>,
  bound: { timeoutMs: number; clock: Clock },
): Promise<Timed<T>> {
  const ended = new AbortController();
  try {
    return await Promise.race([
      work.then((value): Timed<T> => ({ kind: "done", value })),
      bound.clock.sleep(bound.timeoutMs, ended.signal).then((): Timed<T> => ({ kind: "late" })),
    ]);
  } finally {
    ended.abort();
  }
}
