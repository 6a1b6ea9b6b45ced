import { hash } from "node:crypto";

/** The parts of a transaction's way, from its block to the webhook (docs/operations.md#opentelemetry-spans). */
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

/** When something began and when it was over, in ms since the epoch. */
export type Period = { startMs: number; endMs: number };

/** One part of the way of a transaction, reported once it is over. */
export type Span = Period & {
  name: SpanName;
  /** The id of the transaction, or of a notification that is of none: all spans of one make up a trace. */
  subjectId: string;
  /** 16 hexadecimal digits, see spanId. */
  id: string;
  /** The span that this one is a part of; null: none. */
  parentId: string | null;
  /** Ids, numbers and words of ours: never an address, an amount, a URL, a body or a secret. */
  attributes: Readonly<Record<string, string | number>>;
  /** In a few words why it failed; null: it did not. */
  failure: string | null;
};

/** Where spans are reported. */
export type Spans = {
  /** Whether the spans of this transaction are sent anywhere: else they need not be put together. */
  areKept: (subjectId: string) => boolean;
  /** Never waits and never throws. What there is no room for is dropped. */
  report: (span: Span) => void;
};

/** For whoever sends no spans. */
export const noSpans: Spans = { areKept: () => false, report() {} };

/**
 * The trace of a transaction has its id, without the dashes: a UUID has the 128 bits of a trace id (W3C Trace Context, 3.2.2.3).
 * So every process knows it, and nothing has to be handed from one to the next.
 */
export function traceIdOf(subjectId: string): string {
  return subjectId.replaceAll("-", "");
}

/** 16 hexadecimal digits that follow from what the span is of: whoever reports the same once more gives it the same id. */
export function spanId(name: SpanName, ...of: readonly (string | number)[]): string {
  return hash("sha256", [name, ...of].join(" ")).slice(0, 16);
}

/** The first span of a transaction, of which all others are parts: of the block that it was recorded from. */
export function rootSpanId(transactionId: string): string {
  return spanId("chain.block", transactionId);
}
