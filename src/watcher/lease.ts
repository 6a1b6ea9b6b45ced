import type { LeaseLedger } from "../domain/watch/watcher-ledger.ts";
import type { Clock } from "../runtime/clock.ts";
import { withTimeout } from "../runtime/with-timeout.ts";

/**
 * The time in ms that other processes wait after a watcher has died. A live watcher renews its
 * lease well before.
 */
const ttlMs = 4_000;
const renewAfterMs = 1_200;

/** A live watcher asks for its lease this often, whatever it is doing. */
export const keepMs = 1_200;

/** A question that is under way at the end is waited for so long, in ms. */
const releaseWaitMs = 2_000;

/** Nobody waits for the renewal of a lease that was taken or renewed so lately, in ms. */
const trustedMs = 3_000;

export type WatchLease = { take: () => Promise<boolean>; release: () => Promise<void> };

/**
 * Decides which of several watchers of a chain works now. The ledger is asked only every second or
 * so, beside the work: an answer that is out of date costs a request and nothing else
 * (docs/invariants.md#i5). It is kept by whoever calls `take` again within `keepMs`.
 * @param lease.holder the process: of several, those with fewer chains get some of the others'
 * @param lease.isShared whether it takes part in that; who does not keeps what it has, and asks
 * nobody for theirs
 */
export function createWatchLease(
  ports: { ledger: LeaseLedger; clock: Clock },
  { isShared, ...lease }: { name: string; holder: string; isShared: boolean },
): WatchLease {
  const { ledger, clock } = ports;
  /** Null: it is not held. */
  let takenMs: number | null = null;
  let asking: Promise<boolean> | null = null;
  let waitsUntilMs = 0;

  async function share(): Promise<boolean> {
    if (await ledger.shareLease({ ...lease, ttlMs })) return true;
    if (clock.elapsed() >= waitsUntilMs) {
      await ledger.waitForLease({ ...lease, ttlMs });
      waitsUntilMs = clock.elapsed() + renewAfterMs;
    }
    return false;
  }

  async function ask(): Promise<boolean> {
    const askedMs = clock.elapsed();
    const isHeld = isShared ? await share() : await ledger.takeLease({ ...lease, ttlMs });
    takenMs = isHeld ? askedMs : null;
    return isHeld;
  }

  /** One question at a time. */
  function renew(): Promise<boolean> {
    asking ??= ask().finally(() => {
      asking = null;
    });
    return asking;
  }

  return {
    async take() {
      const ageMs = takenMs === null ? Number.POSITIVE_INFINITY : clock.elapsed() - takenMs;
      if (ageMs < renewAfterMs) return true;
      const renewed = renew();
      if (ageMs >= trustedMs) return renewed;
      // A failure is the next one's, who has to wait for it.
      renewed.catch(() => {});
      return true;
    },
    async release() {
      // It would take the lease again.
      if (asking !== null)
        await withTimeout(asking, { timeoutMs: releaseWaitMs, clock }).catch(() => {});
      takenMs = null;
      waitsUntilMs = 0;
      await ledger.releaseLease(lease);
    },
  };
}
