import { Fault } from "../../domain/fault.ts";
import type { Clock } from "../../runtime/clock.ts";
import { createTurns } from "../../runtime/turns.ts";
import { type FailedCredentials, networkOf } from "./failed-credentials.ts";
import { createRecent } from "./recent.ts";

/**
 * The time for which a right credential is trusted, in ms, in every process. A trusted credential
 * is looked up even while its address sends wrong ones.
 */
const trustedMs = 60 * 60_000;

/**
 * The shortest time between two queries for credentials that other processes found right, in ms.
 */
const learnEveryMs = 10_000;

/**
 * Limits of look-ups of credentials that are not trusted. `atOnce`: of all addresses, `ofOwner`: of
 * one address, `mostWaiting`: of one address that wait. Without them, wrong credentials could use
 * all connections, since their owners are not known yet.
 */
const lookUps = { atOnce: 2, ofOwner: 1, mostWaiting: 500 };

type Shown = { digest: string; address: string };

/** The recently right credentials of one kind, by their digests. */
export type Trusted = {
  /**
   * Looks a credential up. Unless it is trusted, it waits for others of its address. The first call
   * after a start queries which credentials are trusted.
   * @param find returns null if there is no such credential, which counts for the address. It
   *   returns "over" if the credential has ended for ever, which counts once
   * @throws Fault `rate_limited` if the credential is not trusted and its address has too many:
   *   wrong ones, or waiting ones
   */
  lookUp: <Found>(
    shown: Shown,
    find: () => Promise<Found | "over" | null>,
  ) => Promise<Found | null>;
  /** Counts a wrong credential for the address, and trusts it no longer. */
  noteWrong: (shown: Shown) => void;
};

/**
 * Makes sure that wrong credentials of others at one address, such as a proxy's, lock nobody out.
 * @param deps.listUsed reads the credentials that were right since a moment in any process, most
 *   recent first. It is called once after a start, and while an address has too many wrong ones
 */
export function createTrusted(deps: {
  listUsed: (since: Date) => Promise<readonly { digest: string; usedAt: Date }[]>;
  failed: FailedCredentials;
  clock: Pick<Clock, "now" | "elapsed">;
}): Trusted {
  const { failed, clock } = deps;
  const trustedUntil = createRecent<number>();
  // A browser shows the cookie of a session that is over again and again, and does not guess.
  const over = createRecent<true>();
  const turns = createTurns({ ...lookUps, elapsed: () => clock.elapsed() });
  let learnt = { atMs: Number.NEGATIVE_INFINITY, done: Promise.resolve() };
  /** The query after the start. */
  let first: Promise<void> | null = null;

  const untilOf = (digest: string) => trustedUntil.get(digest) ?? Number.NEGATIVE_INFINITY;
  const isTrusted = (digest: string) => untilOf(digest) >= clock.elapsed();

  async function ask(nowMs: number): Promise<void> {
    const used = await deps.listUsed(new Date(clock.now() - trustedMs));
    // Sets the most recent one last, so that it is dropped last.
    for (const { digest, usedAt } of [...used].reverse()) {
      const untilMs = nowMs + trustedMs - Math.max(0, clock.now() - usedAt.getTime());
      trustedUntil.set(digest, Math.max(untilOf(digest), untilMs));
    }
  }

  /** One query serves all who ask during it. After a failure, the next call queries again. */
  function learn(): Promise<void> {
    const nowMs = clock.elapsed();
    if (nowMs - learnt.atMs < learnEveryMs) return learnt.done;
    const asked = { atMs: nowMs, done: ask(nowMs) };
    learnt = asked;
    asked.done.catch(() => {
      asked.atMs = Number.NEGATIVE_INFINITY;
    });
    return asked.done;
  }

  async function admit({ digest, address }: Shown): Promise<void> {
    if (isTrusted(digest) || !failed.hasTooMany(address)) return;
    await learn();
    if (!isTrusted(digest)) failed.refuse(address);
  }

  function noteWrong({ digest, address }: Shown): void {
    trustedUntil.forget(digest);
    failed.note(address);
  }

  async function beginTurn({ digest, address }: Shown): Promise<() => void> {
    // Without this query, all keys behind one proxy would wait for each other after each start. If
    // it fails, they do.
    first ??= learn().catch(() => undefined);
    await first;
    if (isTrusted(digest)) return () => {};
    const turn = await turns.begin(networkOf(address), { place: 0 });
    if (turn.kind === "begun") return turn.end;
    throw new Fault(
      "rate_limited",
      "Too many credentials of this address wait to be looked up: send fewer at a time.",
      { facts: { retryAfterMs: 1_000 } },
    );
  }

  return {
    async lookUp(shown, find) {
      const end = await beginTurn(shown);
      try {
        await admit(shown);
        if (over.get(shown.digest) === true) return null;
        const found = await find();
        if (found === "over") over.set(shown.digest, true);
        if (found !== null && found !== "over") {
          trustedUntil.set(shown.digest, clock.elapsed() + trustedMs);
          return found;
        }
        noteWrong(shown);
        return null;
      } finally {
        end();
      }
    },
    noteWrong,
  };
}
