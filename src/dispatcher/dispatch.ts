import type { Attempt } from "../domain/delivery/attempt.ts";
import { type ClaimedDelivery, longestSendMs } from "../domain/delivery/claim.ts";
import type { AttemptOutcome, AttemptResult } from "../domain/delivery/delivery.ts";
import {
  type NextAttempt,
  nextAttempt,
  type RetrySchedule,
} from "../domain/delivery/retry-schedule.ts";
import type { Sender } from "../domain/delivery/sender.ts";
import type { Spans } from "../domain/spans.ts";
import { openOutbound } from "../domain/webhook/outbound.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Begun } from "./claims.ts";
import { askedPauseMs, classifyResponse } from "./classify-response.ts";
import { reportAttempt } from "./report-attempt.ts";

export type DispatchPorts = {
  sender: Pick<Sender, "post">;
  record: (record: Attempt) => Promise<void>;
  decrypt: (secretCiphertext: string, businessId: string) => string;
  schedule: RetrySchedule;
  /** In [0, 1), for the jitter. */
  random: () => number;
  clock: Clock;
  log: Logger;
  spans: Spans;
};

/**
 * Sends the deliveries of one claim, and resolves once all attempts are stored. If the signal is
 * aborted, requests under way are dropped and not stored. Their deliveries are due again when the
 * lease expires.
 */
export async function dispatchClaim(
  begun: Begun<ClaimedDelivery>[],
  ports: DispatchPorts,
  signal: AbortSignal,
): Promise<void> {
  const alike = { ...ports, decrypt: remembering(ports.decrypt) };
  const ended = await Promise.allSettled(begun.map((one) => attempt(one, alike, signal)));
  const failed = ended.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  if (failed.length === 0) return;
  const message = `${failed.length} of ${begun.length} attempts are not on record.`;
  throw new AggregateError(failed, message, { cause: failed[0] });
}

async function attempt(
  begun: Begun<ClaimedDelivery>,
  ports: DispatchPorts,
  signal: AbortSignal,
): Promise<void> {
  const { delivery, slot } = begun;
  const { record, schedule, random, clock, log } = ports;
  await slot?.send();
  if (isTooLate(begun, clock)) {
    slot?.end();
    throw new Error("The lease was nearly over before the request was sent.");
  }
  const startedAt = new Date(clock.now());
  const { latencyMs, ...result } = await post(delivery, startedAt, signal, ports).finally(
    slot?.end,
  );
  if (signal.aborted) return;
  const outcome = classifyResponse(result);
  reportAttempt(ports.spans, { delivery, startedAt, latencyMs, result, outcome });
  const retryAfterMs = askedPauseMs(result);
  const next = nextAttempt({ ...delivery, schedule, retryAfterMs, random: random() });
  const { deliveryId, notificationId, businessId, webhookId, url, secretCiphertext } = delivery;
  await record({
    token: delivery.token,
    deliveryId,
    webhookId,
    webhookVersion: delivery.webhookVersion,
    url,
    secretCiphertext,
    number: delivery.number,
    startedAt,
    latencyMs,
    result,
    outcome,
    next,
  });
  const ids = { deliveryId, notificationId, businessId, webhookId, attempt: delivery.number };
  const fields = { ...ids, outcome, latencyMs, ...said(result), ...follows(outcome, next) };
  // A line takes about a tenth of a delivery's CPU time, and metrics count the accepted ones.
  if (outcome === "accepted") log.debug(fields, "delivery.attempted");
  else log.info(fields, "delivery.attempted");
}

/**
 * True if the lease may end during the send, and another process may send the delivery again. This
 * process stood still since the delivery began, or the answer of the ledger came late.
 */
function isTooLate({ delivery, askedMs }: Begun<ClaimedDelivery>, clock: Clock): boolean {
  return delivery.leaseLeftMs - (clock.elapsed() - askedMs) < longestSendMs;
}

async function post(
  delivery: ClaimedDelivery,
  startedAt: Date,
  signal: AbortSignal,
  { sender, decrypt }: DispatchPorts,
) {
  const secret = decrypt(delivery.signingCiphertext, delivery.businessId);
  const nextSecret =
    delivery.nextCiphertext === null ? null : decrypt(delivery.nextCiphertext, delivery.businessId);
  const outbound = openOutbound(delivery, (ciphertext) => decrypt(ciphertext, delivery.businessId));
  return sender.post({ ...delivery, startedAt, secret, nextSecret, outbound }, signal);
}

/**
 * Decrypts each secret once for a claim, which may have many deliveries of a webhook. The secrets
 * are dropped with the claim.
 */
function remembering(decrypt: DispatchPorts["decrypt"]): DispatchPorts["decrypt"] {
  const known = new Map<string, string>();
  return (ciphertext, businessId) => {
    const plain = known.get(ciphertext) ?? decrypt(ciphertext, businessId);
    known.set(ciphertext, plain);
    return plain;
  };
}

function said(result: AttemptResult): object {
  return result.kind === "answered"
    ? { statusCode: result.statusCode }
    : { errorKind: result.errorKind };
}

function follows(outcome: AttemptOutcome, next: NextAttempt): object {
  if (outcome === "accepted") return {};
  return next.kind === "retry" ? { nextInMs: next.delayMs } : { isExhausted: true };
}
