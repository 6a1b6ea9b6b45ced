import type { LeaseLedger } from "../domain/watch/watcher-ledger.ts";
import type { Clock } from "../runtime/clock.ts";

/**
 * The time in ms that other processes wait after a watcher has died. A live watcher renews its
 * lease well before.
 */
const ttlMs = 4_000;
const renewAfterMs = 1_200;

export type WatchLease = { take: () => Promise<boolean>; release: () => Promise<void> };

/**
 * Decides which of several watchers of a chain works now. The ledger is asked only every second or
 * so: an answer that is out of date costs a request and nothing else (docs/invariants.md#i5).
 * @param lease.holder the process: of several, those with fewer chains get some of the others'
 * @param lease.isShared whether it takes part in that; who does not keeps what it has, and asks
 * nobody for theirs
 */
export function createWatchLease(
  ports: { ledger: LeaseLedger; clock: Clock },
  { isShared, ...lease }: { name: string; holder: string; isShared: boolean },
): WatchLease {
  const { ledger, clock } = ports;
  let heldUntilMs = 0;
  let waitsUntilMs = 0;

  async function share(isHeld: boolean): Promise<boolean> {
    if (isHeld) return !(await ledger.giveLease({ ...lease, ttlMs }));
    if (clock.elapsed() >= waitsUntilMs) {
      await ledger.waitForLease({ ...lease, ttlMs });
      waitsUntilMs = clock.elapsed() + renewAfterMs;
    }
    return false;
  }

  return {
    async take() {
      if (clock.elapsed() < heldUntilMs) return true;
      const isTaken = await ledger.takeLease({ ...lease, ttlMs });
      const isHeld = isShared ? await share(isTaken) : isTaken;
      heldUntilMs = isHeld ? clock.elapsed() + renewAfterMs : 0;
      return isHeld;
    },
    async release() {
      heldUntilMs = 0;
      waitsUntilMs = 0;
      await ledger.releaseLease(lease);
    },
  };
}
