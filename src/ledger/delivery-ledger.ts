import { claimLeaseMs as leaseMs } from "../domain/delivery/claim.ts";
import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import type { RetrySchedule } from "../domain/delivery/retry-schedule.ts";
import { pruneAnswers } from "./businesses/idempotency-keys.ts";
import { beginClaims } from "./deliveries/begin-claims.ts";
import { claimDeliveries } from "./deliveries/claim-deliveries.ts";
import { giveBackClaim, giveBackSend } from "./deliveries/give-back-claim.ts";
import {
  endRelay,
  endWithoutQueue,
  removeDispatcher,
  reportDispatcher,
  reportRelay,
  reportWithoutQueue,
} from "./deliveries/heartbeats.ts";
import { pruneAttempts } from "./deliveries/prune-attempts.ts";
import { readPending } from "./deliveries/read-pending.ts";
import { listUnbegunClaims, sweepClaims } from "./deliveries/reclaim.ts";
import { recordAttempts } from "./deliveries/record-attempts.ts";
import { followClock } from "./installation/follow-clock.ts";
import { pruneNotifications } from "./notifications/prune-notifications.ts";
import { bind } from "./postgres/bind.ts";
import type { Database } from "./postgres/database.ts";
import { moveWaiting } from "./webhooks/move-waiting.ts";
import { pruneWebhooks } from "./webhooks/prune-webhooks.ts";

const seconds = 1_000;

/** A send begins only with this much of its lease left: the 15 s it may take, and room for the record. */
const leaseLeftMs = 20 * seconds;

/** A dispatcher reports every 5 s; silent for three of them it is admitted nothing. */
const dispatcherSilentMs = 15 * seconds;

/**
 * What the relay claims ahead of the dispatchers, as a share of their slots: while as many are sent as there are slots,
 * as many more wait in the queue, so that no slot stays empty for as long as it takes to record, claim and enqueue.
 */
const aheadShare = 1;

/** A job that nobody has begun for this long is looked for in the queue, and given back when it is not there. */
const unbegunAfterMs = 5 * seconds;

/** What one transaction takes at most: some tens of milliseconds of work. */
const webhookLimit = 200;
const sweepLimit = 1_000;

/** The ledger as relay, dispatcher and pruner use it, bound to one database and its limits. */
export function createDeliveryLedger(
  db: Database,
  options: { inFlight: number; schedule: RetrySchedule; random: () => number },
): DeliveryLedger {
  const { inFlight, schedule, random } = options;
  const limits = { webhookLimit, inFlight, leaseMs, dispatcherSilentMs, aheadShare, random };
  return {
    readPending: () => readPending(db),
    claimDeliveries: () => claimDeliveries(db, limits),
    giveBackClaim: bind(db, giveBackClaim),
    giveBackSend: bind(db, giveBackSend),
    sweepClaims: () => sweepClaims(db, { schedule, random, limit: sweepLimit }),
    listUnbegunClaims: () =>
      listUnbegunClaims(db, { leaseMs, olderThanMs: unbegunAfterMs, limit: sweepLimit }),
    beginClaims: (claims) => beginClaims(db, { ...claims, leaseLeftMs }),
    recordAttempts: bind(db, recordAttempts),
    moveWaiting: () => moveWaiting(db),
    pruneNotifications: bind(db, pruneNotifications),
    pruneAnswers: bind(db, pruneAnswers),
    pruneWebhooks: bind(db, pruneWebhooks),
    pruneAttempts: bind(db, pruneAttempts),
    reportDispatcher: bind(db, reportDispatcher),
    removeDispatcher: bind(db, removeDispatcher),
    reportRelay: bind(db, reportRelay),
    endRelay: bind(db, endRelay),
    reportWithoutQueue: bind(db, reportWithoutQueue),
    endWithoutQueue: bind(db, endWithoutQueue),
    followClock: bind(db, followClock),
  };
}
