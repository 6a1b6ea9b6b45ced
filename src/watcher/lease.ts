import type { LeaseLedger } from "../domain/watch/watcher-ledger.ts";
import type { Clock } from "../runtime/clock.ts";

/**
 * The time that other processes wait after a watcher has died, in ms. A live watcher renews its
 * lease well before.
 */
const ttlMs = 4_000;
const renewAfterMs = 1_800;

/**
 * The pause between two renewals of a lease beside the work, in ms. So the work never waits for it.
 * This is also the tick of the process's other loops, whose requests share one statement.
 */
export const keepMs = 1_000;

export type WatchLease = {
  /** True while this process may work. Asks the ledger, unless it has just done so. */
  take: () => Promise<boolean>;
  /** The same, but always asks the ledger. */
  keep: () => Promise<boolean>;
  release: () => Promise<void>;
};

/**
 * Decides which of a chain's watchers works now. Asks the ledger about once a second. An outdated
 * answer only costs a request (docs/invariants.md#i5).
 * @param lease.holder the process; one with fewer chains gets some of another's
 * @param lease.isShared true if the process takes part in that. A verb does not: it asks nobody for
 *   a chain, and leaves its own to a process that waits
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
    const isHeld = isShared ? await share() : await ledger.borrowLease({ ...lease, ttlMs });
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
