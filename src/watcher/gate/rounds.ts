import { onePerSubject } from "../../domain/watch/patience.ts";
import type { Claims, SaidAlone, WitnessGate } from "./witness-gate.ts";

/** A page of a list. `next`: its last entry, behind which more may be. Null: the list ends here. */
type Page<Cursor> = { next: Cursor | null };

type Told = ReadonlyMap<SaidAlone, Claims>;

export type Rounds<Cursor> = ReturnType<typeof createRounds<Cursor>>;

const nothingTold: Told = new Map();

/** Steps that go on with what has just been worked on, at most, before the round begins anew. */
const mostStays = 16;

/**
 * Goes through a list page by page, and begins anew at its end. So each entry has its turn, however
 * many before it never end. Belongs to one loop, and is not stored: a process begins anew.
 *
 * A step tells its claims to `gate`, which stands for the round: it passes on what waits in any
 * page. Claims of a page that is still to come are those of the round before.
 */
export function createRounds<Cursor>(witness: Pick<WitnessGate, "waitFor">) {
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

  /** The page has moved on in the list, and waits for nothing. */
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

  const gate: Pick<WitnessGate, "waitFor"> = {
    waitFor(what, claims) {
      const now = tell(what, claims);
      return witness.waitFor(what, isLast ? now : joined([now, before.get(what)]));
    },
  };

  return {
    gate,

    /**
     * Reads the page behind the last one, and works on it. A page that fails keeps no other one
     * waiting: the next step goes on behind it. `isMoving`: what was worked on is further down in
     * the list now, and the next step may go on with it.
     * @throws what `read` or `work` fails with
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
        // Without its claims, what waited in the round before goes on waiting.
        if (!isKnown) for (const [what, claims] of before) tell(what, claims);
        if (hasMoved) stay(toldBefore);
        else goOn(page.next);
      }
    },
  };
}

/** The claims together, each subject once, and one height of each dispute and refusal. */
function joined(all: readonly (Claims | undefined)[]): Claims {
  const claims = all.filter((one) => one !== undefined);
  const silent = claims.flatMap((one) => one.silent);
  return {
    // Without what a claim brings along: a round may have very many.
    silent: onePerSubject(
      silent.map(({ subject, silent, number }) => ({ subject, silent, number })),
    ),
    disputed: claims.flatMap(({ disputed }) => disputed.slice(0, 1)).slice(0, 1),
    refused: claims.flatMap(({ refused = [] }) => refused.slice(0, 1)).slice(0, 1),
  };
}
