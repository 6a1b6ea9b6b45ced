import {
  type DiagLogger,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { SpanExport } from "../domain/setup/span-export.ts";
import { type Span, type Spans, traceIdOf } from "../domain/spans.ts";

/** Takes spans until `close`, which resolves when all of them are sent or dropped. */
export type SpanPipeline = Spans & { close: () => Promise<void> };

/** The most spans that wait or are being sent: about two megabytes. */
const mostWaiting = 2_048;
const batch = { maxQueueSize: mostWaiting, maxExportBatchSize: 512, scheduledDelayMillis: 1_000 };

/** The limit for one request, including its retries. */
const exportMs = 5_000;

/**
 * One error for all, since its stack says nothing, and it may be needed a thousand times a second.
 */
const isFull = new Error(`More than ${mostWaiting} spans wait to be sent.`);

type Options = SpanExport & {
  version: string;
  onDropped: (spans: number, error: unknown) => void;
  onWarning: (text: string) => void;
};

/**
 * Sends the spans of a share of all traces, by OTLP over HTTP with JSON. Loads OpenTelemetry, whose
 * diagnostics go to `onWarning`.
 */
export function openPipeline(options: Options): SpanPipeline {
  const { url, headers, serviceName, ratio, version, onDropped, onWarning } = options;
  diag.setLogger(warningsTo(onWarning), DiagLogLevel.WARN);
  let waiting = 0;
  const exporter = counting(new OTLPTraceExporter({ url, headers, timeoutMillis: exportMs }), {
    onEnded(spans, error) {
      waiting -= spans;
      if (error !== null) onDropped(spans, error);
    },
  });
  const ids = { traceId: "", spanId: "" };
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": serviceName, "service.version": version }),
    sampler: new AlwaysOnSampler(),
    idGenerator: { generateTraceId: () => ids.traceId, generateSpanId: () => ids.spanId },
    spanProcessors: [
      new BatchSpanProcessor({ exporter, ...batch, exportTimeoutMillis: 2 * exportMs }),
    ],
  });
  const tracer = provider.getTracer("chainbell", version);
  const sampler = new TraceIdRatioBasedSampler(ratio);

  function report(span: Span): void {
    if (waiting >= mostWaiting) {
      onDropped(1, isFull);
      return;
    }
    waiting += 1;
    const { name, subjectId, attributes, failure } = span;
    Object.assign(ids, { traceId: traceIdOf(subjectId), spanId: span.id });
    const kind = name === "webhook.attempt" ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const startTime = new Date(span.startMs);
    const started = tracer.startSpan(
      name,
      { kind, startTime, attributes: { ...attributes } },
      contextOf(span),
    );
    if (failure !== null) started.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    // The end must not be before the start: two clocks may differ, and one may have been set back.
    started.end(new Date(Math.max(span.startMs, span.endMs)));
  }

  return {
    areKept: (subjectId) =>
      sampler.shouldSample(ROOT_CONTEXT, traceIdOf(subjectId)).decision ===
      SamplingDecision.RECORD_AND_SAMPLED,
    report,
    async close() {
      await provider.shutdown();
      diag.disable();
    },
  };
}

/** The context of the parent span, which another process may have reported. */
function contextOf({ subjectId, parentId }: Span) {
  if (parentId === null) return ROOT_CONTEXT;
  const traceId = traceIdOf(subjectId);
  const parent = { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED };
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}

/**
 * Reports for every request how many spans it had, and why it failed. Tells the SDK that all
 * succeed, so that each failure is reported once.
 */
function counting(
  exporter: SpanExporter,
  { onEnded }: { onEnded: (spans: number, error: unknown) => void },
): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, ({ code, error }) => {
        onEnded(spans.length, code === 0 ? null : (error ?? new Error("It was not accepted.")));
        done({ code: 0 });
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

function warningsTo(onWarning: (text: string) => void): DiagLogger {
  const ignore = () => {};
  return { error: onWarning, warn: onWarning, info: ignore, debug: ignore, verbose: ignore };
}
