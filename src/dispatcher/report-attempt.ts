import type { ClaimedDelivery } from "../domain/delivery/claim.ts";
import type { AttemptOutcome, AttemptResult } from "../domain/delivery/delivery.ts";
import { type Period, rootSpanId, type SpanName, type Spans, spanId } from "../domain/spans.ts";

/** A POST that was made, and what came of it. */
type Attempted = {
  delivery: ClaimedDelivery;
  startedAt: Date;
  latencyMs: number;
  result: AttemptResult;
  outcome: AttemptOutcome;
};

/**
 * Reports an attempt as parts of the trace of its transaction: how long it waited for its claim,
 * then in the queue and for a slot, and the POST itself.
 */
export function reportAttempt(spans: Spans, attempted: Attempted): void {
  const { delivery, startedAt, latencyMs, result, outcome } = attempted;
  const { transactionId, notificationId, deliveryId, number, dueAt, claimedAt } = delivery;
  const subjectId = transactionId ?? notificationId;
  if (!spans.areKept(subjectId)) return;
  const attributes = {
    "chainbell.business.id": delivery.businessId,
    "chainbell.webhook.id": delivery.webhookId,
    "chainbell.notification.id": notificationId,
    "chainbell.delivery.id": deliveryId,
    "chainbell.attempt": number,
  };
  const report = (
    name: SpanName,
    period: Period,
    more: { attributes: Record<string, string | number>; failure: string | null },
  ) =>
    spans.report({
      subjectId,
      name,
      ...period,
      failure: more.failure,
      id: spanId(name, deliveryId, number),
      parentId: transactionId === null ? null : rootSpanId(transactionId),
      attributes: { ...attributes, ...more.attributes },
    });
  const [dueMs, claimedMs, startMs] = [dueAt.getTime(), claimedAt.getTime(), startedAt.getTime()];
  const waited = { attributes: {}, failure: null };
  report("delivery.wait", { startMs: dueMs, endMs: claimedMs }, waited);
  report("delivery.queue", { startMs: claimedMs, endMs: startMs }, waited);
  report("webhook.attempt", { startMs, endMs: startMs + latencyMs }, said(result, outcome));
}

/**
 * By the names that OpenTelemetry has for them
 * (https://opentelemetry.io/docs/specs/semconv/http/http-spans/).
 */
function said(result: AttemptResult, outcome: AttemptOutcome) {
  const answer =
    result.kind === "answered"
      ? { "http.response.status_code": result.statusCode }
      : { "error.type": result.errorKind };
  const failure = result.kind === "answered" ? `status ${result.statusCode}` : result.errorKind;
  return {
    attributes: { "chainbell.outcome": outcome, ...answer },
    failure: outcome === "accepted" ? null : failure,
  };
}
