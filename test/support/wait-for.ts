import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 10;

/**
 * Resolves with what `condition` answers once that is truthy. A condition that throws is asked again.
 * Throws after `timeoutMs` with what was awaited, what it last said and the last error.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: { what: string; timeoutMs: number },
): Promise<Exclude<T, false | 0 | "" | null | undefined>> {
  const deadline = Date.now() + options.timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await condition();
      if (answer) return answer as Exclude<T, false | 0 | "" | null | undefined>;
      last = answer;
    } catch (error) {
      last = error;
    }
    if (Date.now() >= deadline) {
      const said = last instanceof Error ? last.message : JSON.stringify(last);
      const cause = last instanceof Error ? { cause: last } : {};
      const waited = `Waited ${options.timeoutMs} ms for ${options.what}`;
      throw new Error(`${waited}; at last: ${said}`, cause);
    }
    await sleep(POLL_MS);
  }
}
