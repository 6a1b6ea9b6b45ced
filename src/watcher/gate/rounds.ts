import type { AgreementGate, Claims, SaidAlone } from "../../domain/watch/agreement-gate.ts";
import { onePerSubject } from "../../domain/watch/patience.ts";

/**
 * A page of a list. `next`: its last entry, after which more may follow. Null: the list ends here.
 */
type Page<Cursor> = { next: Cursor | null };

type Told = ReadonlyMap<SaidAlone, Claims>;

export type Rounds<Cursor> = ReturnType<typeof createRounds<Cursor>>;

const nothingTold: Told = new Map();

/**
 * The number of times that a round may continue with work that has moved on, before it starts
 * again.
 */
const mostStays = 16;

/**
 * Goes through a list page by page, and starts again at its end. So each entry has its turn, even
 * if many before it never finish. One loop uses it. It is not stored, so a process starts at the
 * beginning.
 *
 * A step tells its claims to `gate`, which tells the chain's gate the claims of the whole round.
 * For pages still to come, it uses the claims of the round before. So a claim in any page can end
 * its wait.
 */
export function createRounds<Cursor>(chainGate: Pick<AgreementGate, "waitFor">) {
  let after: Cursor | null = null;
  let isLast = true;
  let before = nothingTold;
  let told = nothingTold;
  let stays = 0;

  function end(): void {
    after = null;
    before = told;
    told = nothingTold;
    stays = 0;
  }

  function goOn(next: Cursor | null): void {
    after = next;
    if (next === null) end();
  }

  /** Keeps the place in the list: the work has moved further down, and its claims do not wait. */
  function stay(toldBefore: Told): void {
    told = toldBefore;
    stays += 1;
    if (stays === mostStays) end();
  }

  function tell(what: SaidAlone, claims: Claims): Claims {
    const now = joined([told.get(what), claims]);
    told = new Map([...told, [what, now]]);
    return now;
  }

  const gate: Pick<AgreementGate, "waitFor"> = {
    waitFor(what, claims) {
      const now = tell(what, claims);
      return chainGate.waitFor(what, isLast ? now : joined([now, before.get(what)]));
    },
  };

  return {
    gate,

    /**
     * Reads the page after the last one, and works on it. If the work fails, the next step
     * continues after that page, so no other page has to wait.
     * @param isMoving true if entries have moved down in the list; then the next step may go on
     *   with them
     * @throws what `read` or `work` throws
     */
    async step<Read extends Page<Cursor>, Outcome>(
      read: (after: Cursor | null) => Promise<Read>,
      work: (page: Read) => Promise<Outcome>,
      isMoving: (outcome: Outcome) => boolean = () => false,
    ): Promise<Outcome> {
      const page = await read(after);
      isLast = page.next === null;
      const toldBefore = told;
      let isKnown = false;
      let hasMoved = false;
      try {
        const outcome = await work(page);
        isKnown = told !== toldBefore;
        hasMoved = isMoving(outcome);
        return outcome;
      } finally {
        // The step told no claims, so those of the round before still count.
        if (!isKnown) for (const [what, claims] of before) tell(what, claims);
        if (hasMoved) stay(toldBefore);
        else goOn(page.next);
      }
    },
  };
}

/** Joins claims: each subject once, and at most one height of a dispute and one of a refusal. */
function joined(all: readonly (Claims | undefined)[]): Claims {
  const claims = all.filter((one) => one !== undefined);
  const silent = claims.flatMap((one) => one.silent);
  return {
    // Drops what else a claim contains, because a round may have very many.
    silent: onePerSubject(
      silent.map(({ subject, silent, number }) => ({ subject, silent, number })),
    ),
    disputed: claims.flatMap(({ disputed }) => disputed.slice(0, 1)).slice(0, 1),
    refused: claims.flatMap(({ refused = [] }) => refused.slice(0, 1)).slice(0, 1),
  };
}
