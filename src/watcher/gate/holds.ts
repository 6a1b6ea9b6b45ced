import type { Hold, WitnessPolicy } from "../../domain/chain/confirmation.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";

/** A second endpoint that is a block or two behind holds nothing up for longer than this, in ms. */
const usualMs = 15_000;

/** `sinceMs` is a time of day, to be shown; the others count by the clock that only grows. */
type Kept = Hold & {
  keptSinceMs: number;
  patientSinceMs: number;
  highest: bigint;
  isLogged: boolean;
  isPassed: boolean;
};

export type Holds = ReturnType<typeof createHolds>;

/**
 * The matters that wait for agreement, since when and why. Each is logged once, and counted from
 * then on.
 */
export function createHolds(
  { clock, log }: { clock: Clock; log: Logger },
  options: { chainName: string; witness: Pick<WitnessPolicy, "patienceMs" | "mode"> },
) {
  const { chainName: chain, witness } = options;
  const holds = new Map<Hold["what"], Kept>();

  function keep(of: Pick<Hold, "what" | "why" | "number">, highest: bigint): Kept {
    const now = clock.elapsed();
    const before = holds.get(of.what);
    const isSame = before?.why === of.why;
    // An endpoint that has come further is not silent.
    const hasMoved = before === undefined || !isSame || highest > before.highest;
    const kept: Kept = {
      ...of,
      sinceMs: before?.sinceMs ?? clock.now(),
      keptSinceMs: before?.keptSinceMs ?? now,
      times: (before?.times ?? 0) + 1,
      highest,
      patientSinceMs: hasMoved ? now : before.patientSinceMs,
      isLogged: isSame && before.isLogged,
      isPassed: isSame && before.isPassed,
    };
    holds.set(of.what, kept);
    return kept;
  }

  const isNotable = ({ why, patientSinceMs }: Kept) =>
    why === "disputed" || clock.elapsed() - patientSinceMs >= usualMs;

  return {
    /**
     * Notes that something has to wait. `highest`: the highest height that another endpoint has
     * come to.
     * @returns whether it has waited long enough, and goes on without the word
     */
    wait(of: Pick<Hold, "what" | "why" | "number">, highest: bigint): boolean {
      const kept = keep(of, highest);
      const { what, why, number, sinceMs } = kept;
      const fields = { chain, what, why, number, since: new Date(sinceMs).toISOString() };
      if (!kept.isLogged && isNotable(kept)) {
        kept.isLogged = true;
        log.warn(fields, "chain.held");
      }
      const waitedMs = clock.elapsed() - kept.patientSinceMs;
      // No further endpoint could be waited for where nobody has a state.
      const mayGoOn = witness.mode === "prefer" || what === "state";
      const goesOn = why === "silent" && mayGoOn && waitedMs >= witness.patienceMs;
      if (goesOn && !kept.isPassed) {
        kept.isPassed = true;
        log.warn(fields, "witness.passed_over");
      }
      return goesOn;
    },

    /** It waits no longer. */
    end(what: Hold["what"]): void {
      const kept = holds.get(what);
      if (kept === undefined) return;
      holds.delete(what);
      const { why, times, keptSinceMs } = kept;
      const heldMs = clock.elapsed() - keptSinceMs;
      if (kept.isLogged) log.info({ chain, what, why, times, heldMs }, "chain.released");
    },

    /**
     * The hold that has lasted longest, of those that are disputed or last longer than is usual.
     * Null: there is none.
     */
    longest(): Hold | null {
      const [first] = [...holds.values()]
        .filter(isNotable)
        .sort((one, other) => one.keptSinceMs - other.keptSinceMs);
      if (first === undefined) return null;
      const { what, why, number, sinceMs, times } = first;
      return { what, why, number, sinceMs, times };
    },
  };
}
