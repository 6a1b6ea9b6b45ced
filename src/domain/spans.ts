import { hash } from "node:crypto";

/**
 * The parts of the way of a transaction, from its block to the webhook
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

/** One part of the way of a transaction, reported once it is over. */
export type Span = Period & {
  name: SpanName;
  /**
   * The id of the transaction. For a notification without a transaction, it is the notification's
   * id. All spans of one id make up a trace.
   */
  subjectId: string;
  /** 16 hexadecimal digits, see spanId. */
  id: string;
  /** The span that this one is a part of; null: none. */
  parentId: string | null;
  /** Ids, numbers and fixed words: never an address, an amount, a URL, a body or a secret. */
  attributes: Readonly<Record<string, string | number>>;
  /** The reason of the failure in a few words; null: the part did not fail. */
  failure: string | null;
};

/** The place where spans are reported. */
export type Spans = {
  /**
   * True if the spans of this transaction are sent. If they are not, the caller need not build
   * them.
   */
  areKept: (subjectId: string) => boolean;
  /** Never waits and never throws. A span is dropped if there is no room for it. */
  report: (span: Span) => void;
};

/** The spans of a process that sends none. */
export const noSpans: Spans = { areKept: () => false, report() {} };

/**
 * The trace id of a transaction is the transaction's id without dashes. A UUID has the 128 bits of
 * a trace id (W3C Trace Context, 3.2.2.3). Every process knows it, so nothing has to be handed from
 * one process to the next.
 */
export function traceIdOf(subjectId: string): string {
  return subjectId.replaceAll("-", "");
}

/**
 * 16 hexadecimal digits, derived from the subject of the span. A process that reports the same span
 * once more gives it the same id.
 */
export function spanId(name: SpanName, ...of: readonly (string | number)[]): string {
  return hash("sha256", [name, ...of].join(" ")).slice(0, 16);
}

/**
 * The id of the first span of a transaction, which all others are parts of. That span covers the
 * block that the transaction was recorded from.
 */
export function rootSpanId(transactionId: string): string {
  return spanId("chain.block", transactionId);
}
