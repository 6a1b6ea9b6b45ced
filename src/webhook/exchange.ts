import type { Dispatcher } from "undici";

/** The outcome of one request: the start of its answer, or what prevented one. */
export type Exchanged =
  | { kind: "answered"; statusCode: number; retryAfter: string | null; start: Buffer }
  | { kind: "late" }
  | { kind: "failed"; error: unknown };

/** At most this much of an answer is read; a longer one ends the connection. */
const readLimitBytes = 64 * 1024;
/** This much of it is stored. */
const keepLimitBytes = 1024;

/**
 * Makes one request on a connection of the agent and reads its answer to the end, so that the
 * connection can be used again, or to the limit. Never rejects. Uses undici's dispatch itself,
 * which spares each POST the stream and the abort controller that its `request` would need here.
 * @param limits.timeoutMs over everything, also the wait for a connection
 * @param limits.signal aborted, the exchange fails at once
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
        // The connection came too late: the request has ended.
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
