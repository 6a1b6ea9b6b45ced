import type { LeaseLedger } from "../domain/watch/watcher-ledger.ts";
import type { Clock } from "../runtime/clock.ts";

/**
 * The time in ms that other processes wait after a watcher has died. A live watcher renews its
 * lease well before.
 */
const ttlMs = 4_000;
const renewAfterMs = 1_800;

/**
 * A lease that is kept beside the work is renewed this often, so that the work never waits for it.
 * It is a tick of the process's loops, whose questions share a statement.
 */
export const keepMs = 1_000;

export type WatchLease = {
  /** True while this process works. Asks the ledger where that was not just asked. */
  take: () => Promise<boolean>;
  /** The same, and it always asks. */
  keep: () => Promise<boolean>;
  release: () => Promise<void>;
};

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

  async function share(): Promise<boolean> {
    if (await ledger.shareLease({ ...lease, ttlMs })) return true;
    if (clock.elapsed() >= waitsUntilMs) {
      await ledger.waitForLease({ ...lease, ttlMs });
      waitsUntilMs = clock.elapsed() + renewAfterMs;
    }
    return false;
  }

  async function ask(): Promise<boolean> {
    const isHeld = isShared ? await share() : await ledger.takeLease({ ...lease, ttlMs });
    heldUntilMs = isHeld ? clock.elapsed() + renewAfterMs : 0;
    return isHeld;
  }

  return {
    take: async () => clock.elapsed() < heldUntilMs || ask(),
    keep: ask,
    async release() {
      heldUntilMs = 0;
      waitsUntilMs = 0;
      await ledger.releaseLease(lease);
    },
  };
}
