/** A time limit for one piece of work. It leaves no timer or listener behind when the work ends. */
export type Deadline = {
  /** Aborted when the time is over, or when the other signal is aborted. */
  signal: AbortSignal;
  /** Rejects when `signal` is aborted. */
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
