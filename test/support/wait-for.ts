import { setTimeout as sleep } from "node:timers/promises";
import { TestRunner } from "vitest";
import { explainFailure } from "./explain-failure.ts";

/** Between two looks: a tenth of the wait since there was progress, within these. */
const leastPauseMs = 10;
const mostPauseMs = 250;

/**
 * A pause lasts at least as long as so many looks, so that looks take little of a processor. What it
 * lasts beyond its own time does not count.
 */
const looksInPause = 4;

/** What says something new at every look and never comes true would be waited for without end. */
const mostExtensions = 20;

type Wait = { what: string; said: string | null };

/** The waits of this process that have not ended. */
const open = new Set<Wait>();

/** The test that says which waits were open if it fails. */
let explained: unknown;

/** Waits until there are so many at least, see waitFor: each one more is progress. */
export function waitForCount(
  read: () => number | Promise<number>,
  count: number,
  options: { what: string; timeoutMs: number },
): Promise<true> {
  return waitFor(async () => {
    const there = await read();
    if (there >= count) return true;
    throw new Error(`there are ${there} of ${count}`);
  }, options);
}

/**
 * Resolves with what `condition` answers once that is truthy. A condition that throws is asked
 * again.
 *
 * The limit is one of progress, not of the clock, so that a busy machine does not fail a test. What
 * the condition says, its answer or its error, is its progress. It throws once that has stayed the
 * same through pauses of `timeoutMs` in all. The looks between them do not count, so a slow machine
 * has more time. It names what was awaited, what was said at last, and the last error. Looks cost
 * CPU time that others wait for: the longer nothing happens, the fewer there are.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: { what: string; timeoutMs: number },
): Promise<Exclude<T, false | 0 | "" | null | undefined>> {
  const wait: Wait = { what: options.what, said: null };
  open.add(wait);
  explainOpenWaits();
  try {
    return await look(condition, options, wait);
  } finally {
    open.delete(wait);
  }
}

/** Vitest ends a test that hangs, and does not say what it awaited. */
function explainOpenWaits(): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined || test === explained) return;
  explained = test;
  explainFailure("It still waited for", () =>
    [...open].map(({ what, said }) => `${what}; at last: ${said}`).join("\n"),
  );
}

async function look<T>(
  condition: () => T | Promise<T>,
  options: { what: string; timeoutMs: number },
  wait: Wait,
): Promise<Exclude<T, false | 0 | "" | null | undefined>> {
  const startedMs = performance.now();
  let looks = 0;
  // Only the pauses count, as long as they were meant to be.
  let pausedMs = 0;
  let saidAtMs = 0;
  for (;;) {
    let last: unknown;
    const lookedAtMs = performance.now();
    try {
      const answer = await condition();
      if (answer) return answer as Exclude<T, false | 0 | "" | null | undefined>;
      last = answer;
    } catch (error) {
      last = error;
    }
    const restMs = (performance.now() - lookedAtMs) * looksInPause;
    const says = last instanceof Error ? last.message : String(last);
    if (says !== wait.said) {
      wait.said = says;
      saidAtMs = pausedMs;
      looks = 0;
    }
    looks += 1;
    const withoutProgressMs = pausedMs - saidAtMs;
    if (withoutProgressMs >= options.timeoutMs || pausedMs >= options.timeoutMs * mostExtensions) {
      const cause = last instanceof Error ? { cause: last } : {};
      const waitedMs = Math.round(performance.now() - startedMs);
      const waited = `Waited ${waitedMs} ms for ${options.what}, the last ${looks} looks without progress`;
      throw new Error(`${waited}; at last: ${says}`, cause);
    }
    const pauseMs = Math.min(Math.max(withoutProgressMs / 10, leastPauseMs), mostPauseMs);
    pausedMs += pauseMs;
    await sleep(Math.max(pauseMs, Math.min(restMs, mostPauseMs)));
  }
}
