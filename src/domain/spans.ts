import { hash } from "node:crypto";

/**
 * The steps of a transaction, from its block to the webhook
 * (docs/operations.md#opentelemetry-spans).
 */
export const spanNames = [
  "chain.block",
  "block.read",
  "block.prove",
  "block.commit",
  "block.confirm",
  "delivery.wait",
  "delivery.queue",
  "webhook.attempt",
] as const;

export type SpanName = (typeof spanNames)[number];

/** The beginning and the end of something, in ms since the epoch. */
export type Period = { startMs: number; endMs: number };

/** One step of a transaction, reported after its end. */
export type Span = Period & {
  name: SpanName;
  /**
   * The transaction's id. For a notification without a transaction: the notification's id. All
   * spans with one id are a trace.
   */
  subjectId: string;
  /** 16 hexadecimal digits, see spanId. */
  id: string;
  /** The span that this one is a part of; null: none. */
  parentId: string | null;
  /** Ids, numbers and fixed words. Never an address, an amount, a URL, a body or a secret. */
  attributes: Readonly<Record<string, string | number>>;
  /** The reason why the step failed, in a few words; null: it did not fail. */
  failure: string | null;
};

/** Where spans are reported. */
export type Spans = {
  /** True if the spans of this transaction are sent. If not, the caller need not make them. */
  areKept: (subjectId: string) => boolean;
  /** Reports a span. Never waits or throws. If there is no room for the span, it is dropped. */
  report: (span: Span) => void;
};

/** The spans of a process that sends none. */
export const noSpans: Spans = { areKept: () => false, report() {} };

/**
 * The trace id of a transaction: its id without dashes. A UUID has the 128 bits of a trace id (W3C
 * Trace Context, 3.2.2.3). Every process knows it, so processes need not pass it on.
 */
export function traceIdOf(subjectId: string): string {
  return subjectId.replaceAll("-", "");
}

/**
 * A span's id: 16 hexadecimal digits, derived from what the span is about. If a process reports the
 * span again, it has the same id.
 */
export function spanId(name: SpanName, ...of: readonly (string | number)[]): string {
  return hash("sha256", [name, ...of].join(" ")).slice(0, 16);
}

/**
 * The id of a transaction's first span, which is the parent of all others. It covers the block from
 * which the transaction was recorded.
 */
export function rootSpanId(transactionId: string): string {
  return spanId("chain.block", transactionId);
}
