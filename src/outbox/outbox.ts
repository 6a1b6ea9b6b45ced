import type { ClaimedDelivery, MadeClaim, Reserved } from "../domain/delivery/claim.ts";
import type { ClaimQueue } from "../domain/delivery/claim-queue.ts";
import type { DeliveryLedger } from "../domain/delivery/delivery-ledger.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { createLoop, type Loop, type StepResult } from "../runtime/loop.ts";
import { troubleOf } from "../runtime/trouble.ts";

/** The longest pause before the next try, after an outage of database or queue. */
const maxBackoffMs = 5_000;
const stuckAfterMs = 20_000;
/**
 * The pause after each claim, in which slots become free. Without it, the relay would run without a
 * break and claim only a few deliveries each time. The dispatchers have work for longer than this.
 */
const lingerMs = 5;
/** If a job waits this long, the dispatchers take none. */
const deafAfterMs = 20_000;

/**
 * The relay as a service: passes the ledger's due deliveries to the dispatchers. Call `wake` when a
 * delivery may be due, or a slot may be free. Without a call it looks after `pollMs`, so a retry
 * starts at most that late.
 */
export function createOutbox(
  options: RelayPorts &
    SweepPorts & {
      ledger: Pick<DeliveryLedger, "readPending">;
      clock: Clock;
      pollMs: number;
      sweepEveryMs: number;
    },
): Loop {
  const { ledger, queue, reserve, clock, log, pollMs, sweepEveryMs } = options;
  let nextSweepMs = clock.elapsed();
  let oldestQueuedMs = 0;
  let isWoken = true;

  /**
   * Returns what is pending. If somebody woke the relay, or more is due than one claim takes,
   * something is. Otherwise one query finds out, which saves ten statements.
   */
  async function readPending(): ReturnType<DeliveryLedger["readPending"]> {
    if (!isWoken) return ledger.readPending();
    isWoken = false;
    return { isWaiting: true, isClaimed: true };
  }

  /** Returns true if it has made anything due. */
  async function sweepWhenDue(): Promise<boolean> {
    if (clock.elapsed() < nextSweepMs) return false;
    nextSweepMs = clock.elapsed() + sweepEveryMs;
    try {
      const swept = await sweep({ ledger, queue, log });
      oldestQueuedMs = swept.oldestQueuedMs;
      return swept.freed > 0;
    } catch (error) {
      // The relay's own step fails in the same outage, and reports it to the loop.
      log.warn({ error }, "sweep.failed");
      return false;
    }
  }

  const loop = createLoop({
    name: "outbox",
    async step(signal) {
      const { isWaiting, isClaimed } = await readPending();
      let hasClaimed = false;
      let hasFreed = false;
      try {
        hasClaimed = isWaiting && (await relay({ ledger, queue, reserve, log })) === "again";
      } finally {
        // The sweep comes after the claim, so that it does not delay a new notification.
        if (isClaimed) hasFreed = await sweepWhenDue();
        else oldestQueuedMs = 0;
      }
      if (!hasClaimed && !hasFreed) return "idle";
      // More may be due than one transaction claims, and more slots may be free in a moment.
      isWoken = true;
      await clock.sleep(lingerMs, signal);
      return "again";
    },
    onError: (error, failures) => log.error({ error, failures }, "relay.failed"),
    clock,
    pollMs,
    maxBackoffMs,
    stuckAfterMs,
  });

  return {
    ...loop,
    wake() {
      isWoken = true;
      loop.wake();
    },
    trouble() {
      if (oldestQueuedMs > deafAfterMs)
        return troubleOf("not_taken", "jobs wait in the queue and no dispatcher takes them");
      return loop.trouble();
    },
  };
}

type RelayPorts = {
  ledger: Pick<DeliveryLedger, "claimDeliveries" | "giveBackClaim">;
  queue: Pick<ClaimQueue, "enqueue">;
  /** Reserves slots of the dispatcher in this process. */
  reserve: () => Reserved<ClaimedDelivery>;
  log: Logger;
};

/** For a process without a dispatcher: every claim goes through the queue. */
export const nothingReserved: RelayPorts["reserve"] = () => ({ places: 0, send() {} });

/**
 * One step of the relay. Claims due deliveries. If this process's dispatcher has reserved slots,
 * deliveries begin in the same transaction and are sent at once (decision 153). For each other
 * claim, one job goes into the queue after the commit. Claims that cannot be enqueued are given
 * back, and the error is thrown; that is not an attempt. A crash in between leaves claims without
 * jobs, which the sweep finds, and claims that have begun, whose lease expires. Safe to repeat, and
 * for several processes.
 */
export async function relay({ ledger, queue, reserve, log }: RelayPorts): Promise<StepResult> {
  const claims = await claimAndSend({ ledger, reserve });
  if (claims.length === 0) return "idle";
  const queued = claims.filter(({ begun }) => begun === null);
  if (queued.length === 0) return "again";
  try {
    await queue.enqueue(queued);
  } catch (error) {
    await ledger.giveBackClaim({ tokens: queued.map(({ token }) => token) });
    throw error;
  }
  const deliveries = queued.reduce((sum, claim) => sum + claim.deliveries, 0);
  log.debug({ claims: queued.length, deliveries }, "claims.enqueued");
  return "again";
}

async function claimAndSend({ ledger, reserve }: Pick<RelayPorts, "ledger" | "reserve">) {
  const reserved = reserve();
  const claims: MadeClaim[] = [];
  try {
    claims.push(...(await ledger.claimDeliveries(reserved.places)));
    return claims;
  } finally {
    reserved.send(claims.flatMap(({ begun }) => (begun === null ? [] : [begun])));
  }
}

type SweepPorts = {
  ledger: Pick<DeliveryLedger, "sweepClaims" | "listUnbegunClaims" | "giveBackClaim">;
  queue: Pick<ClaimQueue, "has">;
  log: Logger;
};

/**
 * Repairs what ledger and queue disagree on. Claims with an expired lease are due again. Claims
 * whose jobs are missing in the queue are given back at once. The queue was emptied, or the relay
 * died before it enqueued them.
 * @returns how many deliveries are due again, and how long the oldest job has waited, in ms; 0:
 *   none waits
 */
export async function sweep({
  ledger,
  queue,
  log,
}: SweepPorts): Promise<{ freed: number; oldestQueuedMs: number }> {
  const { freed, postponed } = await ledger.sweepClaims();
  if (freed + postponed > 0) log.warn({ freed, postponed }, "claims.expired");
  const unbegun = await ledger.listUnbegunClaims();
  const isQueued = await Promise.all(unbegun.map(({ token }) => queue.has(token)));
  const lost = unbegun.filter((_claim, index) => !isQueued[index]).map(({ token }) => token);
  const givenBack = lost.length === 0 ? 0 : await ledger.giveBackClaim({ tokens: lost });
  if (lost.length > 0)
    log.warn({ claims: lost.length, deliveries: givenBack }, "claims.lost_by_queue");
  const oldestQueuedMs = unbegun.find((_claim, index) => isQueued[index])?.ageMs ?? 0;
  return { freed: freed + givenBack, oldestQueuedMs };
}
