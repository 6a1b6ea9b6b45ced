import type { Dispatcher } from "undici";

/** The outcome of one request: the start of its answer, or the reason why there is none. */
export type Exchanged =
  | { kind: "answered"; statusCode: number; retryAfter: string | null; start: Buffer }
  | { kind: "late" }
  | { kind: "failed"; error: unknown };

/** The most bytes of an answer that are read. A longer answer ends the connection. */
const readLimitBytes = 64 * 1024;
/** The most bytes of an answer that are stored. */
const keepLimitBytes = 1024;

/**
 * Makes one request on a connection of the agent. Reads its answer to the end, so that the
 * connection can be used again, or to the limit. Never rejects. Calls undici's dispatch directly:
 * its `request` would make a stream and an abort controller for each POST.
 * @param limits.timeoutMs for all of it, including the wait for a connection
 * @param limits.signal if aborted, the exchange fails at once
 */
export function exchange(
  agent: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: { timeoutMs: number; signal: AbortSignal },
): Promise<Exchanged> {
  const { timeoutMs, signal } = limits;
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | null = null;
    let isOver = false;
    const timer = setTimeout(() => drop({ kind: "late" }), timeoutMs);
    const abort = () => drop({ kind: "failed", error: signal.reason });

    function end(exchanged: Exchanged): void {
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      resolve(exchanged);
    }
    function drop(exchanged: Exchanged): void {
      if (isOver) return;
      end(exchanged);
      controller?.abort(new Error("dropped"));
    }

    const answer = { statusCode: 0, retryAfter: null as string | null };
    const kept: Buffer[] = [];
    let sizeBytes = 0;
    const answered = (): Exchanged => ({
      kind: "answered",
      ...answer,
      start: Buffer.concat(kept),
    });
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) return abort();
    agent.dispatch(request, {
      onRequestStart(started) {
        controller = started;
        // The connection came too late: the exchange is already over.
        if (isOver) started.abort(new Error("dropped"));
      },
      onResponseStart(_controller, statusCode, headers) {
        answer.statusCode = statusCode;
        answer.retryAfter = [headers["retry-after"]].flat()[0] ?? null;
      },
      onResponseData(_controller, chunk) {
        if (sizeBytes < keepLimitBytes) kept.push(chunk.subarray(0, keepLimitBytes - sizeBytes));
        sizeBytes += chunk.length;
        if (sizeBytes > readLimitBytes) drop(answered());
      },
      onResponseEnd() {
        if (!isOver) end(answered());
      },
      onResponseError(_controller, error) {
        if (!isOver) end({ kind: "failed", error });
      },
    });
  });
}
