import type { LeaseLedger } from "../domain/watch/watcher-ledger.ts";
import type { Clock } from "../runtime/clock.ts";

/** How long other processes wait after a watcher has died. A live one renews its lease well before. */
const ttlMs = 5_000;
const renewAfterMs = 1_500;

export type WatchLease = { take: () => Promise<boolean>; release: () => Promise<void> };

/**
 * Decides which of several watchers of a chain works now. The ledger is asked only every second or so: an answer that
 * is out of date costs a request and nothing else (docs/invariants.md#i5).
 */
export function createWatchLease(
  ports: { ledger: LeaseLedger; clock: Clock },
  lease: { name: string; holder: string },
): WatchLease {
  const { ledger, clock } = ports;
  let heldUntilMs = 0;
  return {
    async take() {
      if (clock.elapsed() < heldUntilMs) return true;
      const isHeld = await ledger.takeLease({ ...lease, ttlMs });
      heldUntilMs = isHeld ? clock.elapsed() + renewAfterMs : 0;
      return isHeld;
    },
    async release() {
      heldUntilMs = 0;
      await ledger.releaseLease(lease);
    },
  };
}
