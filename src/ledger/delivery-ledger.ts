import { claimLeaseMs as leaseMs, longestSendMs } from "../domain/delivery/claim.ts";
import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import type { RetrySchedule } from "../domain/delivery/retry-schedule.ts";
import { pruneAnswers } from "./businesses/idempotency-keys.ts";
import { pruneCreditChecks } from "./credits/prune-checks.ts";
import { beginClaims } from "./deliveries/begin-claims.ts";
import { claimDeliveries } from "./deliveries/claim-deliveries.ts";
import { emptyMemory } from "./deliveries/claim-memory.ts";
import { giveBackClaim } from "./deliveries/give-back-claim.ts";
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
import { judgeWebhooks, recordAttempts } from "./deliveries/record-attempts.ts";
import { recoverSome } from "./deliveries/recover.ts";
import { pruneStatements } from "./evidence/make-statement.ts";
import { followClock } from "./installation/follow-clock.ts";
import { pruneNotifications } from "./notifications/prune-notifications.ts";
import { bind } from "./postgres/bind.ts";
import type { Database } from "./postgres/database.ts";
import { statementsOf } from "./postgres/statements.ts";
import { pruneSightings } from "./sightings/prune-sightings.ts";
import { moveWaiting } from "./webhooks/move-waiting.ts";
import { arrangeWaiting } from "./webhooks/order.ts";
import { pruneWebhooks } from "./webhooks/prune-webhooks.ts";

const seconds = 1_000;

/** A claim begins only with this much of its lease left, in ms: for sending and recording it. */
const leaseLeftMs = longestSendMs + 5 * seconds;

/** A dispatcher reports every 5 s. After three missing reports nothing is claimed for it. */
const dispatcherSilentMs = 15 * seconds;

/**
 * The relay claims this many deliveries ahead of the dispatchers, as a share of their slots. With
 * 1, as many wait in the queue as are being sent. So no slot is empty while the relay records,
 * claims and enqueues.
 */
const aheadShare = 1;

/**
 * A claim that is not begun for this long, in ms, is looked up in the queue. If its job is missing,
 * the claim is given back.
 */
const unbegunAfterMs = 5 * seconds;

/** The most webhooks in one transaction. That is some tens of milliseconds of work. */
const webhookLimit = 200;
const sweepLimit = 1_000;

const whole = {
  moveWaiting,
  arrangeWaiting,
  giveBackClaim,
  recordAttempts,
  judgeWebhooks,
  pruneNotifications,
  pruneAnswers,
  pruneSightings,
  pruneCreditChecks,
  pruneStatements,
  pruneWebhooks,
  pruneAttempts,
  reportDispatcher,
  removeDispatcher,
  endRelay,
  reportWithoutQueue,
  endWithoutQueue,
  followClock,
};

/** The ledger as relay, dispatcher and pruner use it, bound to one database and its limits. */
export function createDeliveryLedger(
  db: Database,
  options: { inFlight: number; schedule: RetrySchedule; random: () => number },
): DeliveryLedger {
  const { inFlight, schedule, random } = options;
  const memory = emptyMemory();
  const limits = {
    webhookLimit,
    inFlight,
    leaseMs,
    leaseLeftMs,
    dispatcherSilentMs,
    aheadShare,
    random,
  };
  let slowestClaimMs = 0;
  return {
    ...bind(db, whole),
    recoverSome: () => recoverSome(db),
    readPending: () => readPending(db, memory),
    async claimDeliveries(direct) {
      const beganMs = performance.now();
      try {
        return await claimDeliveries(db, { ...limits, direct }, memory);
      } finally {
        slowestClaimMs = Math.max(slowestClaimMs, performance.now() - beganMs);
      }
    },
    reportRelay(relay) {
      const claimMs = Math.round(slowestClaimMs);
      slowestClaimMs = 0;
      return reportRelay(db, { ...relay, claimMs });
    },
    sweepClaims: () => sweepClaims(db, { schedule, random, limit: sweepLimit }, memory),
    listUnbegunClaims: () =>
      listUnbegunClaims(db, { leaseMs, olderThanMs: unbegunAfterMs, limit: sweepLimit }, memory),
    beginClaims: (claims) => beginClaims(statementsOf(db).$queryRaw, { ...claims, leaseLeftMs }),
  };
}
