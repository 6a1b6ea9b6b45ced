import type { AttemptRecord } from "../domain/delivery/attempt-record.ts";
import type { Send } from "../domain/delivery/claim.ts";
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
import type { TakeSlot } from "./claim-starter.ts";
import { askedPauseMs, classifyResponse } from "./classify-response.ts";
import { reportAttempt } from "./report-attempt.ts";

export type DispatchPorts = {
  sender: Pick<Sender, "post">;
  record: (record: AttemptRecord) => Promise<void>;
  /** Makes what was begun and not sent due again. */
  giveBack: (send: Send) => Promise<void>;
  decrypt: (secretCiphertext: string, businessId: string) => string;
  schedule: RetrySchedule;
  /** In [0, 1), for the jitter. */
  random: () => number;
  clock: Clock;
  log: Logger;
  spans: Spans;
};

/** What one claim is sent under. */
type Sending = { signal: AbortSignal; ports: DispatchPorts; takeSlot: TakeSlot };

/**
 * Sends the deliveries of one claim, each as soon as it has a slot, and resolves once all that was answered is on record.
 * What gets no slot is given back, and counts as no attempt. When the signal is aborted what is under way is dropped
 * without a record: those deliveries are due again when the lease ends.
 */
export async function dispatchClaim(sends: Send[], sending: Sending): Promise<void> {
  const decrypt = remembering(sending.ports.decrypt);
  const alike = { ...sending, ports: { ...sending.ports, decrypt } };
  const ended = await Promise.allSettled(sends.map((send) => attempt(send, alike)));
  const failed = ended.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  if (failed.length === 0) return;
  const message = `${failed.length} of ${sends.length} attempts are not on record.`;
  throw new AggregateError(failed, message, { cause: failed[0] });
}

async function attempt(send: Send, { signal, ports, takeSlot }: Sending): Promise<void> {
  const answered = await takeSlot();
  if (answered === null) return ports.giveBack(send);
  const { record, schedule, random, clock, log } = ports;
  const startedAt = new Date(clock.now());
  const { latencyMs, ...result } = await post(send, signal, ports).finally(answered);
  if (signal.aborted) return;
  const outcome = classifyResponse(result);
  reportAttempt(ports.spans, { send, startedAt, latencyMs, result, outcome });
  const retryAfterMs = askedPauseMs(result);
  const next = nextAttempt({ ...send, schedule, retryAfterMs, random: random() });
  const { deliveryId, notificationId, businessId, webhookId, url, secretCiphertext } = send;
  await record({
    ...{ token: send.token, deliveryId, webhookId, url, secretCiphertext, number: send.number },
    ...{ startedAt, latencyMs, result, outcome, next },
  });
  const ids = { deliveryId, notificationId, businessId, webhookId, attempt: send.number };
  log.info(
    { ...ids, outcome, latencyMs, ...said(result), ...follows(outcome, next) },
    "delivery.attempted",
  );
}

async function post(send: Send, signal: AbortSignal, { sender, decrypt }: DispatchPorts) {
  const secret = decrypt(send.signingCiphertext, send.businessId);
  const nextSecret =
    send.nextCiphertext === null ? null : decrypt(send.nextCiphertext, send.businessId);
  const outbound = openOutbound(send, (ciphertext) => decrypt(ciphertext, send.businessId));
  return sender.post({ ...send, secret, nextSecret, outbound }, signal);
}

/** The deliveries of a claim are of one webhook: its secret is decrypted once, and forgotten with the claim. */
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
