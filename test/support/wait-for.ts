import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 10;

/** What says something new at every look and never comes true would be waited for without end. */
const mostExtensions = 20;

/**
 * Resolves with what `condition` answers once that is truthy. A condition that throws is asked
 * again.
 *
 * The limit is one of progress, not of the clock, so that a busy machine does not fail a test. What
 * the condition says, its answer or its error, is its progress: it throws once that has stayed the
 * same for as many looks as there are in `timeoutMs` on a machine that is not busy. A machine that
 * is slow looks less often. It names what was awaited, what was said at last, and the last error.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: { what: string; timeoutMs: number },
): Promise<Exclude<T, false | 0 | "" | null | undefined>> {
  const patience = Math.ceil(options.timeoutMs / POLL_MS);
  const startedMs = performance.now();
  let said: string | null = null;
  let looks = 0;
  for (let all = 1; ; all += 1) {
    let last: unknown;
    try {
      const answer = await condition();
      if (answer) return answer as Exclude<T, false | 0 | "" | null | undefined>;
      last = answer;
    } catch (error) {
      last = error;
    }
    const says = last instanceof Error ? last.message : String(last);
    looks = says === said ? looks + 1 : 1;
    said = says;
    if (looks > patience || all > patience * mostExtensions) {
      const cause = last instanceof Error ? { cause: last } : {};
      const waitedMs = Math.round(performance.now() - startedMs);
      const waited = `Waited ${waitedMs} ms for ${options.what}, the last ${looks} looks without progress`;
      throw new Error(`${waited}; at last: ${says}`, cause);
    }
    await sleep(POLL_MS);
  }
}
