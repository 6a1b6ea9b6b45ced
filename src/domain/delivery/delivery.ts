import type { WebhookFilter } from "../webhook/filter.ts";
import type { InactiveReason } from "../webhook/registration.ts";

/**
 * Every status of a delivery. `isStored`: a row may have it. The others follow from what is stored
 * beside it. `isRecoverable`: nothing is attempted any more and nothing was accepted. A recovery
 * queues such a delivery again.
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
  filtered: {
    isStored: false,
    isRecoverable: false,
    description: "the filter of the first webhook left it out",
  },
} as const satisfies Record<
  string,
  { isStored: boolean; isRecoverable: boolean; description: string }
>;

/**
 * The deliveries that a recovery may be asked for. `waiting`: those that wait for their next
 * attempt.
 */
export const recoveredStatuses = ["held", "exhausted", "cancelled", "waiting"] as const;

/** A status that a recovery may be asked for. */
export type RecoveredStatus = (typeof recoveredStatuses)[number];

/** A recovery that names none queues these. */
export const recoveredByDefault = recoveredStatuses.filter(
  (status) => deliveryStatuses[status].isRecoverable,
);

/** A recovery of the notifications that were created in [since, until), or since then. */
export type RecoveryAsked = {
  since: Date;
  until: Date | null;
  include?: readonly RecoveredStatus[];
  /** The notifications that are wanted, by what was written: see `matchesWritten`. */
  filter?: WebhookFilter;
};

/** The notifications that a recovery would queue again at this moment: how many, and the oldest. */
export type RecoveryPreview = {
  count: number;
  /** It has not looked at all notifications of the time: `count` is the least there may be. */
  hasMore: boolean;
  first: { id: string; event: string; status: RecoveredStatus; createdAt: Date }[];
};

/** The status as the API shows it. */
export type DeliveryStatus = keyof typeof deliveryStatuses;

/** The status as a row has it. */
export type StoredDeliveryStatus = {
  [Status in DeliveryStatus]: (typeof deliveryStatuses)[Status] extends { isStored: true }
    ? Status
    : never;
}[DeliveryStatus];

/** The reasons why an attempt got no answer. */
export type AttemptErrorKind =
  | "timeout"
  | "dns"
  | "connection"
  | "tls"
  | "target_refused"
  | "unrecorded";

/**
 * The result of one POST. `response` is the first 1 KB of the answer, as valid UTF-8 without NUL.
 * It is null if it is withheld, because only `webhooks.allow` opened the target. A business is
 * shown nothing of such an answer.
 */
export type AttemptResult =
  | {
      kind: "answered";
      statusCode: number;
      retryAfterMs: number | null;
      response: string | null;
    }
  | { kind: "unanswered"; errorKind: AttemptErrorKind };

/**
 * The meaning of an attempt for its delivery. `gone`: the receiver asked to be notified no more
 * (410).
 */
export type AttemptOutcome = "accepted" | "retry" | "gone";

/** The reasons for which Chainbell itself deactivates a webhook. */
export type DisabledReason = Exclude<InactiveReason, "requested">;

/**
 * A webhook is deactivated once every attempt has failed for this time, in ms, and this often
 * (docs/contract.md#deactivation).
 */
export const failingLimits = { durationMs: 5 * 24 * 60 * 60 * 1000, attempts: 20 } as const;

/**
 * After this many failures in a row, a webhook's circuit is open. One attempt is made when a pause
 * is over. The pause, in ms, doubles with each failure up to the longest. An attempt that succeeds
 * closes the circuit (docs/contract.md#circuit-breaker).
 */
export const circuitLimits = { failures: 10, firstPauseMs: 5_000, longestPauseMs: 60_000 } as const;

/**
 * An attempt that takes longer than this, in ms, is slow. Its receiver is slow until an attempt
 * takes less. Slow receivers together get a quarter of the sending slots
 * (docs/contract.md#fairness).
 */
export const slowMs = 1_000;

/**
 * A request that has not been answered for `slotHeldMs` gives its slot to others while it goes on.
 * It then costs a connection, and no work. At most `hangingShare` times the number of a
 * dispatcher's slots may hang so.
 */
export const slotHeldMs = 100;
export const hangingShare = 2;

/**
 * The sends that may go unrecorded before the delivery waits its turn in the retry schedule
 * (docs/invariants.md#i8).
 */
export const unrecordedLimit = 3;
