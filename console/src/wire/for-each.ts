import { wait } from "../browser/wait.ts";
import { asFault, type WireFault } from "./fault.ts";

/** An id for which an action was refused, and why. */
export type Refusal = { id: string; fault: WireFault };

/** Requests under way at once: a browser leaves room for the page itself. */
const atOnce = 4;

/** Refusals of one id because of too many requests, after which it counts as refused. */
const mostWaits = 5;

/**
 * Acts on each row, four at a time. After a 429 all wait as long as it asks, and the id is tried
 * again. `onDone` is told how many are settled. Answers those that were refused. Once the session
 * is over, nothing more is acted on.
 */
export async function forEach<Row extends { id: string }>(
  rows: readonly Row[],
  act: (row: Row) => Promise<unknown>,
  { onDone, pauseFor = wait }: { onDone: (count: number) => void; pauseFor?: typeof wait },
): Promise<Refusal[]> {
  const refusals: Refusal[] = [];
  const left = [...rows];
  let done = 0;
  let pause: Promise<void> = Promise.resolve();
  let over: WireFault | null = null;

  const settle = async (row: Row): Promise<void> => {
    const { id } = row;
    for (let waits = 0; ; waits += 1) {
      await pause;
      if (over !== null) return void refusals.push({ id, fault: over });
      try {
        await act(row);
        return;
      } catch (thrown) {
        const fault = asFault(thrown);
        if (fault.status === 401) over = fault;
        if (fault.status !== 429 || waits === mostWaits) return void refusals.push({ id, fault });
        pause = pauseFor((fault.retryAfterS ?? 1) * 1000);
      }
    }
  };
  const work = async (): Promise<void> => {
    for (let row = left.shift(); row !== undefined; row = left.shift()) {
      await settle(row);
      done += 1;
      onDone(done);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return refusals;
}
