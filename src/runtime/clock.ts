/** Time, so that a test can control it. */
export type Clock = {
  /**
   * ms since the epoch, by a clock that others may set, back as well as forward: to be written down
   * and shown, never to be waited by
   */
  now: () => number;
  /**
   * ms since some moment of this process; only ever grows, as time does. For whatever lasts, is due
   * or is too old.
   */
  elapsed: () => number;
  /** Resolves after `ms`, or at once when the signal is aborted; never rejects. */
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
