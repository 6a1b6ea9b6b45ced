import { type Hold, isOfThePast, type WitnessPolicy } from "../../domain/chain/confirmation.ts";
import { overdueIn, type Wait, type Waits, waitOn } from "../../domain/watch/patience.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";

/** The usual time that a second endpoint may be behind, by a block or two, in ms. */
const usualMs = 15_000;

const nothing: ReadonlySet<string> = new Set();

/** `sinceMs` is a time of day, to show; the other times are of the steady clock. */
type Kept = Hold & {
  keptSinceMs: number;
  waits: Waits;
  isLogged: boolean;
  passed: ReadonlySet<string>;
};

export type Holds = ReturnType<typeof createHolds>;

/** A matter that has to wait. `isAlone`: the chain has only one host, so nobody is waited for. */
type Matter = Pick<Hold, "what" | "why" | "number"> & { isAlone?: boolean };

/**
 * The matters of one chain that wait for agreement, since when and why. Each is logged once, and
 * counted after that. Nothing else decides how long hosts are waited for.
 */
export function createHolds(
  { clock, log }: { clock: Clock; log: Logger },
  options: { chainName: string; witness: Pick<WitnessPolicy, "patienceMs" | "mode"> },
) {
  const { chainName: chain, witness } = options;
  const holds = new Map<Hold["what"], Kept>();

  function keep({ what, why, number }: Matter, waiting: readonly Wait[]): Kept {
    const now = clock.elapsed();
    const before = holds.get(what);
    const isSame = before?.why === why;
    const kept: Kept = {
      what,
      why,
      number,
      sinceMs: before?.sinceMs ?? clock.now(),
      keptSinceMs: before?.keptSinceMs ?? now,
      times: (before?.times ?? 0) + 1,
      waits: waitOn(before?.waits ?? new Map(), waiting, now),
      isLogged: isSame && before.isLogged,
      passed: before?.passed ?? new Set(),
    };
    holds.set(what, kept);
    return kept;
  }

  const isNotable = ({ why, waits, keptSinceMs }: Kept) =>
    why === "disputed" ||
    (why === "refused" && clock.elapsed() - keptSinceMs >= usualMs) ||
    overdueIn(waits, clock.elapsed(), usualMs).size > 0;

  return {
    /**
     * Notes that a matter has to wait.
     * @param waiting the subjects that wait, except those that hosts dispute
     * @returns the subjects that have waited long enough, and may continue without agreement
     */
    wait(matter: Matter, waiting: readonly Wait[]): ReadonlySet<string> {
      const kept = keep(matter, waiting);
      const { what, why, number, sinceMs } = kept;
      const fields = { chain, what, why, number, since: new Date(sinceMs).toISOString() };
      if (!kept.isLogged && isNotable(kept)) {
        kept.isLogged = true;
        log.warn(fields, "chain.held");
      }
      // If the only host has lost a state, there is nobody to wait for.
      const mayPass = witness.mode === "prefer" || matter.isAlone === true;
      if (why === "not_final" || !mayPass) return nothing;
      const overdue = overdueIn(kept.waits, clock.elapsed(), witness.patienceMs);
      for (const subject of overdue)
        if (!kept.passed.has(subject)) log.warn({ ...fields, subject }, "witness.passed_over");
      kept.passed = overdue;
      return overdue;
    },

    /**
     * Notes that a matter no longer waits.
     * @param only only if it waits at this height. Left out: at any
     */
    end(what: Hold["what"], only?: bigint): void {
      const kept = holds.get(what);
      if (kept === undefined || (only !== undefined && kept.number !== only)) return;
      holds.delete(what);
      const { why, times, keptSinceMs } = kept;
      const heldMs = clock.elapsed() - keptSinceMs;
      if (kept.isLogged) log.info({ chain, what, why, times, heldMs }, "chain.released");
    },

    /** Forgets every matter. */
    forget(): void {
      holds.clear();
    },

    /**
     * The hold that has lasted longest, of those that are disputed or last unusually long. A hold
     * of the past comes last. Null: there is none.
     */
    longest(): Hold | null {
      const [first] = [...holds.values()]
        .filter(isNotable)
        .sort(
          (one, other) =>
            Number(isOfThePast(one)) - Number(isOfThePast(other)) ||
            one.keptSinceMs - other.keptSinceMs,
        );
      if (first === undefined) return null;
      const { what, why, number, sinceMs, times } = first;
      return { what, why, number, sinceMs, times };
    },
  };
}
