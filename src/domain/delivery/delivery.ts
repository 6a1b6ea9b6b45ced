import { keysOf } from "../keys-of.ts";
import type { WebhookFilter } from "../webhook/filter.ts";
import type { InactiveReason } from "../webhook/registration.ts";

/**
 * All statuses of a delivery. `isStored`: a row may have it. Other statuses follow from stored
 * facts. `isRecoverable`: nothing is attempted any more, and nothing was accepted. A recovery
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

/** The statuses of a notification at several webhooks, the worst first. It stands as the first. */
export const worstFirst = [
  "exhausted",
  "held",
  "waiting",
  "delivered",
  "cancelled",
  "filtered",
] as const satisfies readonly DeliveryStatus[];

/** The statuses of a notification that a webhook has not got, and may still get. */
export const undeliveredStatuses = ["exhausted", "held", "waiting"] as const;

/** The values of a filter by status. `undelivered`: any of `undeliveredStatuses`. */
export const askedStatuses = [...keysOf(deliveryStatuses), "undelivered"] as const;

export type AskedStatus = (typeof askedStatuses)[number];

/** The statuses that a recovery may name. `waiting`: the delivery waits for its next attempt. */
export const recoveredStatuses = ["held", "exhausted", "cancelled", "waiting"] as const;

/** A status that a recovery may name. */
export type RecoveredStatus = (typeof recoveredStatuses)[number];

/** The statuses of a recovery that names none. */
export const recoveredByDefault = recoveredStatuses.filter(
  (status) => deliveryStatuses[status].isRecoverable,
);

/** A recovery of notifications created in [since, until), or after `since`. */
export type RecoveryAsked = {
  since: Date;
  until: Date | null;
  include?: readonly RecoveredStatus[];
  /** Selects notifications by their written content: see `matchesWritten`. */
  filter?: WebhookFilter;
};

/** The number of notifications that a recovery would queue again now, and the oldest. */
export type RecoveryPreview = {
  count: number;
  /** True if not all notifications of the time were read. Then `count` is a minimum. */
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
 * It is null if it is withheld: only `webhooks.allow` opened the target, so a business must not see
 * it.
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
 * The meaning of an attempt for its delivery. `gone`: the receiver answered 410, and wants no more
 * notifications.
 */
export type AttemptOutcome = "accepted" | "retry" | "gone";

/** The reasons for which Chainbell itself deactivates a webhook. */
export type DisabledReason = Exclude<InactiveReason, "requested">;

/**
 * A webhook is deactivated once all attempts have failed for this many ms, and at least this often
 * (docs/contract.md#deactivation).
 */
export const failingLimits = { durationMs: 5 * 24 * 60 * 60 * 1000, attempts: 20 } as const;

/**
 * After this many failures in a row a webhook's circuit opens. Then one attempt is made after each
 * pause. The pause, in ms, doubles with each failure up to the longest. A success closes the
 * circuit (docs/contract.md#circuit-breaker).
 */
export const circuitLimits = { failures: 10, firstPauseMs: 5_000, longestPauseMs: 60_000 } as const;

/**
 * A slower attempt than this, in ms, makes its receiver slow, until an attempt is faster. All slow
 * receivers together get a quarter of the sending slots (docs/contract.md#fairness).
 */
export const slowMs = 1_000;

/**
 * After this many ms without an answer a request releases its slot, and continues. It then costs a
 * connection, but no work. A dispatcher may have at most `hangingShare` times its slots of such
 * requests.
 */
export const slotHeldMs = 100;
export const hangingShare = 2;

/**
 * After this many sends without a record, a delivery waits by the retry schedule
 * (docs/invariants.md#i8).
 */
export const unrecordedLimit = 3;
