/** The time, so that a test can control it. */
export type Clock = {
  /**
   * ms since the epoch, by a clock that may be set forward or back. Only for times to store and
   * show, never to measure a wait.
   */
  now: () => number;
  /**
   * ms since some moment of this process. Never goes back. Use it to measure durations, ages and
   * waits.
   */
  elapsed: () => number;
  /** Resolves after `ms`, or at once if the signal is aborted. Never rejects. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => Math.floor(performance.now()),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", done, { once: true });
    }),
};
