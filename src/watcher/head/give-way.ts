import type { Clock } from "../../runtime/clock.ts";

/** After a commit, its notifications are usually sent within this time, in ms. */
const sendMs = 25;

/**
 * Lets other work of a chain give way to its blocks. Beside that work, a block and its
 * notifications would wait for the chain's lock and for the event loop.
 */
export function createWay(clock: Clock) {
  let block: Promise<unknown> = Promise.resolve();
  let sentMs = Number.NEGATIVE_INFINITY;
  return {
    /** Runs a step for blocks, to which other work gives way. */
    goFirst<T>(step: () => Promise<T>): Promise<T> {
      const going = step();
      block = going.catch(() => {});
      return going;
    },
    /** Notes that a commit has written notifications. */
    noteNotified(): void {
      sentMs = clock.elapsed() + sendMs;
    },
    /**
     * Resolves once the present step for blocks has ended, and its notifications had time to be
     * sent. Never waits for a second step, so that work goes on beside a long catch-up. Never
     * rejects. The signal ends only the time to send.
     */
    async giveWay(signal: AbortSignal): Promise<void> {
      await block;
      const leftMs = sentMs - clock.elapsed();
      if (leftMs > 0) await clock.sleep(leftMs, signal);
    },
  };
}
