/**
 * Every status of a delivery. `isStored`: a row may have it; the others follow from what is stored beside it.
 * `isRecoverable`: nothing is attempted any more and nothing was accepted; a recovery queues it again.
 */
export const deliveryStatuses = {
  waiting: {
    isStored: true,
    isRecoverable: false,
    description: "its next attempt is due at a time",
  },
  delivered: { isStored: true, isRecoverable: false, description: "an attempt was accepted" },
  exhausted: { isStored: true, isRecoverable: true, description: "every attempt has failed" },
  held: {
    isStored: false,
    isRecoverable: true,
    description: "waiting, but the webhook is inactive or there is none",
  },
  cancelled: { isStored: true, isRecoverable: true, description: "the webhook was deleted" },
} as const satisfies Record<
  string,
  { isStored: boolean; isRecoverable: boolean; description: string }
>;

/** As the API shows it. */
export type DeliveryStatus = keyof typeof deliveryStatuses;

/** As its row has it. */
export type StoredDeliveryStatus = {
  [Status in DeliveryStatus]: (typeof deliveryStatuses)[Status] extends { isStored: true }
    ? Status
    : never;
}[DeliveryStatus];

/** Why an attempt got no answer. */
export type AttemptErrorKind =
  | "timeout"
  | "dns"
  | "connection"
  | "tls"
  | "target_refused"
  | "unrecorded";

/**
 * What one POST came to. `response` is the first 1 KB of the answer, as valid UTF-8 without NUL; null when it is
 * withheld, because the target is one that `webhooks.allow` opened: nothing of such an answer is shown to a business.
 */
export type AttemptResult =
  | {
      kind: "answered";
      statusCode: number;
      retryAfterMs: number | null;
      response: string | null;
    }
  | { kind: "unanswered"; errorKind: AttemptErrorKind };

/** What an attempt means for its delivery. `gone`: the receiver asked to be notified no more (410). */
export type AttemptOutcome = "accepted" | "retry" | "gone";

/** Why Chainbell itself deactivated a webhook. */
export type DisabledReason = "gone" | "failing";

/**
 * A webhook is deactivated when every attempt has failed for this long and this often
 * (docs/contract.md#deactivation).
 */
export const failingLimits = { durationMs: 5 * 24 * 60 * 60 * 1000, attempts: 20 } as const;

/** From this many failures in a row a webhook gets one attempt at a time, so that it holds one sending slot at most. */
export const failuresUntilOneAtATime = 5;

/**
 * From this many failures in a row a webhook's circuit is open: one attempt is made when a pause is over, which doubles with each
 * failure up to the longest. An attempt that succeeds closes it (docs/contract.md#circuit-breaker).
 */
export const circuitLimits = { failures: 10, firstPauseMs: 5_000, longestPauseMs: 60_000 } as const;

/**
 * An attempt that takes longer is slow, and so is its receiver until one takes less: slow receivers together get a quarter
 * of the sending slots (docs/contract.md#fairness).
 */
export const slowMs = 1_000;

/**
 * What has not been answered for this long gives its slot to others while it goes on: it costs a connection, and no work.
 * Of a dispatcher at most this share of its slots again is hanging so.
 */
export const slotHeldMs = 100;
export const hangingShare = 2;

/** A receiver that has answered nothing for this long is not known, and gets one attempt at a time until it answers. */
export const knownForMs = 24 * 60 * 60 * 1000;

/**
 * A receiver that has answered nothing for this long gets so few attempts at once until it answers again: it may hang by now,
 * and nobody can know before it was asked (as a connection starts slowly after a pause, RFC 2861).
 */
export const answeringForMs = 10_000;
export const placesAfterPause = 4;

/** Sends that may go unrecorded before the delivery waits its turn in the retry schedule (docs/invariants.md#i8). */
export const unrecordedLimit = 3;
