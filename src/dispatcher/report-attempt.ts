import type { ClaimedDelivery } from "../domain/delivery/claim.ts";
import type { AttemptOutcome, AttemptResult } from "../domain/delivery/delivery.ts";
import { type Period, rootSpanId, type SpanName, type Spans, spanId } from "../domain/spans.ts";

/** A POST that was made, and its result. */
type Attempted = {
  delivery: ClaimedDelivery;
  startedAt: Date;
  latencyMs: number;
  result: AttemptResult;
  outcome: AttemptOutcome;
};

/**
 * Reports an attempt as three spans of its transaction's trace. They are the wait for its claim,
 * the wait in the queue and for a slot, and the POST.
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
 * The attributes of the result, with the names of OpenTelemetry
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
