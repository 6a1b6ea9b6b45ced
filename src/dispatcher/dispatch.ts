import type { AttemptOutcome, AttemptResult } from "../domain/delivery.ts";
import { type NextAttempt, nextAttempt, type RetrySchedule } from "../domain/retry-schedule.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { askedPauseMs, classifyResponse } from "./classify-response.ts";

/** One delivery of a claim, as it is when the claim begins. */
type Send = {
  deliveryId: string;
  notificationId: string;
  businessId: string;
  webhookId: string;
  url: string;
  secretCiphertext: string;
  signingCiphertext: string;
  nextCiphertext: string | null;
  body: string;
  /** The place in the schedule, from 1. */
  attempt: number;
  /** In the log, from 1. */
  number: number;
  maxAttempts: number | null;
};

/** What one send came to, for the record. */
export type Attempted = Pick<
  Send,
  "deliveryId" | "webhookId" | "url" | "secretCiphertext" | "number"
> & {
  token: string;
  startedAt: Date;
  latencyMs: number;
  result: AttemptResult;
  outcome: AttemptOutcome;
  next: NextAttempt;
};

export type DispatchPorts = {
  ledger: {
    /** Succeeds once for a token, and only while enough of its lease is left. */
    beginClaim: (claim: { token: string }) => Promise<Send[]>;
    giveBackClaim: (claims: { tokens: string[] }) => Promise<number>;
  };
  sender: {
    post: (
      message: {
        url: string;
        secret: string;
        nextSecret: string | null;
        notificationId: string;
        body: string;
      },
      signal: AbortSignal,
    ) => Promise<AttemptResult & { latencyMs: number }>;
  };
  record: (attempted: Attempted) => Promise<void>;
  decrypt: (secretCiphertext: string) => string;
  schedule: RetrySchedule;
  /** In [0, 1), for the jitter. */
  random: () => number;
  clock: Clock;
  log: Logger;
};

/**
 * Sends the deliveries of one claim, at the same time, and resolves once all that was answered is on record. A claim
 * that was lost, begun by another, or is too near its end is not sent. When the signal is aborted what is under way
 * is dropped without a record: those deliveries are due again when the lease ends.
 */
export async function dispatchClaim(
  token: string,
  signal: AbortSignal,
  ports: DispatchPorts,
): Promise<void> {
  const { ledger, log } = ports;
  if (signal.aborted) return;
  const sends = await ledger.beginClaim({ token });
  if (sends.length === 0) {
    const deliveries = await ledger.giveBackClaim({ tokens: [token] });
    log.info({ claim: token, deliveries }, "claim.not_begun");
    return;
  }
  const ended = await Promise.allSettled(
    sends.map((send) => attempt(send, { token, signal, ports })),
  );
  const failed = ended.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  if (failed.length > 0) {
    throw new AggregateError(
      failed,
      `${failed.length} of ${sends.length} attempts are not on record.`,
      {
        cause: failed[0],
      },
    );
  }
}

async function attempt(
  send: Send,
  claim: { token: string; signal: AbortSignal; ports: DispatchPorts },
): Promise<void> {
  const { token, signal, ports } = claim;
  const { sender, record, decrypt, schedule, random, clock, log } = ports;
  const startedAt = new Date(clock.now());
  const secret = decrypt(send.signingCiphertext);
  const nextSecret = send.nextCiphertext === null ? null : decrypt(send.nextCiphertext);
  const { latencyMs, ...result } = await sender.post({ ...send, secret, nextSecret }, signal);
  if (signal.aborted) return;
  const outcome = classifyResponse(result);
  const retryAfterMs = askedPauseMs(result);
  const next = nextAttempt({ ...send, schedule, retryAfterMs, random: random() });
  const { deliveryId, notificationId, businessId, webhookId, url, secretCiphertext } = send;
  await record({
    ...{ deliveryId, webhookId, url, secretCiphertext, number: send.number },
    ...{ token, startedAt, latencyMs, result, outcome, next },
  });
  const ids = { deliveryId, notificationId, businessId, webhookId, attempt: send.number };
  log.info(
    { ...ids, outcome, latencyMs, ...said(result), ...follows(outcome, next) },
    "delivery.attempted",
  );
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
