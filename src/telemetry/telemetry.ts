import type { SpanExport } from "../domain/setup/span-export.ts";
import type { Span, Spans } from "../domain/spans.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Service } from "../runtime/service.ts";
import { withTimeout } from "../runtime/with-timeout.ts";
import type { SpanPipeline } from "./open-pipeline.ts";

/**
 * The time that a stop waits for spans to be sent, in ms. Then they are dropped, so that a
 * collector that hangs does not delay the daemon's end.
 */
const flushMs = 2_000;

/**
 * Sends spans to a collector. OpenTelemetry is loaded when the service starts; earlier spans are
 * lost. A collector that is slow, down or refuses only makes spans get lost, and these are counted.
 */
export function createTelemetry(
  ports: { clock: Clock; log: Logger },
  options: SpanExport & { version: string },
): { spans: Spans; service: Service } {
  const { clock, log } = ports;
  let pipeline: SpanPipeline | null = null;
  const onDropped = (spans: number, error: unknown) => log.warn({ spans, error }, "spans.dropped");

  function report(span: Span): void {
    try {
      pipeline?.report(span);
    } catch (error) {
      // Never throws: the caller has just committed a block, or is about to store a receiver's
      // answer.
      onDropped(1, error);
    }
  }

  return {
    spans: { areKept: (subjectId) => pipeline?.areKept(subjectId) ?? false, report },
    service: {
      name: "telemetry",
      async start() {
        const { openPipeline } = await import("./open-pipeline.ts");
        const onWarning = (text: string) =>
          log.warn({ error: new Error(text) }, "telemetry.warned");
        pipeline = openPipeline({ ...options, onDropped, onWarning });
      },
      async stop() {
        const closing = pipeline?.close() ?? Promise.resolve();
        pipeline = null;
        const closed = await withTimeout(closing, { timeoutMs: flushMs, clock }).catch(
          (error: unknown) => ({ kind: "failed", error }) as const,
        );
        if (closed.kind !== "done") log.warn(closed, "spans.not_flushed");
      },
      trouble: () => null,
    },
  };
}
