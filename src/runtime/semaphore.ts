/**
 * Lets a fixed number of pieces of work run at a time. The others wait, first come first served.
 */
export type Semaphore = {
  /**
   * Rejects if the signal is aborted before the work's turn. Work that has begun is not
   * interrupted.
   */
  take: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
};

export function createSemaphore(count: number): Semaphore {
  const waiting: (() => void)[] = [];
  let free = count;

  async function turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(signal.reason);
      };
      waiting.push(begin);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  /** Gives the place to the next one, or frees it. */
  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return {
    async take(work, signal) {
      await turn(signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
