import type { LeaseLedger } from "../domain/watch/watcher-ledger.ts";
import type { Clock } from "../runtime/clock.ts";

/** How long others wait after a watcher died. One that lives renews well before. */
const ttlMs = 5_000;
const renewAfterMs = 1_500;

export type WatchLease = { take: () => Promise<boolean>; release: () => Promise<void> };

/**
 * Says which of several watchers of a chain fetches now. Asks the ledger only every second or so: the answer in
 * between may be out of date, which costs a fetch and nothing else (docs/invariants.md#i5).
 */
export function createWatchLease(
  ports: { ledger: LeaseLedger; clock: Clock },
  lease: { name: string; holder: string },
): WatchLease {
  const { ledger, clock } = ports;
  let heldUntilMs = 0;
  return {
    async take() {
      if (clock.now() < heldUntilMs) return true;
      const isHeld = await ledger.takeLease({ ...lease, ttlMs });
      heldUntilMs = isHeld ? clock.now() + renewAfterMs : 0;
      return isHeld;
    },
    async release() {
      heldUntilMs = 0;
      await ledger.releaseLease(lease);
    },
  };
}
