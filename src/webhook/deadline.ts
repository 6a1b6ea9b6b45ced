/** A time limit that ends with its work, so that no timer or listener outlives a POST. */
export type Deadline = {
  /** Aborted when the time is over or the other signal is aborted. */
  signal: AbortSignal;
  /** Rejects at that moment. */
  passed: Promise<never>;
  isOver: () => boolean;
  clear: () => void;
};

/** @param other ends the work early, or null */
export function createDeadline(timeoutMs: number, other: AbortSignal | null): Deadline {
  const ending = new AbortController();
  let isOver = false;
  const end = () => ending.abort();
  const timer = setTimeout(() => {
    isOver = true;
    end();
  }, timeoutMs);
  if (other?.aborted) end();
  other?.addEventListener("abort", end, { once: true });
  const passed = new Promise<never>((_resolve, reject) => {
    const fail = () => reject(ending.signal.reason);
    if (ending.signal.aborted) fail();
    else ending.signal.addEventListener("abort", fail, { once: true });
  });
  passed.catch(() => {});
  return {
    signal: ending.signal,
    passed,
    isOver: () => isOver,
    clear() {
      clearTimeout(timer);
      other?.removeEventListener("abort", end);
    },
  };
}
