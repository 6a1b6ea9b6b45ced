import type { Clock } from "../../runtime/clock.ts";
import type { FailedCredentials } from "./failed-credentials.ts";
import { createRecent } from "./recent.ts";

/**
 * The time in ms for which a credential that was right is trusted, by every process. Even while its
 * address shows wrong ones, a trusted credential is looked up.
 */
const trustedMs = 60 * 60_000;

/** The least time in ms between two questions for those that were right in other processes. */
const learnEveryMs = 10_000;

/** The credentials of one kind that were right lately, by their digests. */
export type Trusted = {
  /**
   * Lets a credential be looked up.
   * @throws Fault `rate_limited` where the address has shown too many wrong ones, unless this one
   *   was right lately
   */
  admit: (digest: string, address: string) => Promise<void>;
  noteRight: (digest: string) => void;
  /** Counts it for the address, and trusts it no more. */
  noteWrong: (digest: string, address: string) => void;
};

/**
 * Keeps the holders of right credentials from being locked out by others at their address, such as
 * all who come through one proxy.
 * @param deps.listUsed the credentials that were right since a moment in any process, the one used
 *   last first. It is asked only while an address has shown too many wrong ones
 */
export function createTrusted(deps: {
  listUsed: (since: Date) => Promise<readonly { digest: string; usedAt: Date }[]>;
  failed: FailedCredentials;
  clock: Pick<Clock, "now" | "elapsed">;
}): Trusted {
  const { failed, clock } = deps;
  const trustedUntil = createRecent<number>();
  let learnt = { atMs: Number.NEGATIVE_INFINITY, done: Promise.resolve() };

  const untilOf = (digest: string) => trustedUntil.get(digest) ?? Number.NEGATIVE_INFINITY;
  const isTrusted = (digest: string) => untilOf(digest) >= clock.elapsed();

  async function ask(nowMs: number): Promise<void> {
    const used = await deps.listUsed(new Date(clock.now() - trustedMs));
    // The one used last is remembered last: it is the last to be forgotten.
    for (const { digest, usedAt } of [...used].reverse()) {
      const untilMs = nowMs + trustedMs - Math.max(0, clock.now() - usedAt.getTime());
      trustedUntil.set(digest, Math.max(untilOf(digest), untilMs));
    }
  }

  /** One question serves all who ask meanwhile. A failed question is asked again. */
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

  return {
    async admit(digest, address) {
      if (isTrusted(digest) || !failed.hasTooMany(address)) return;
      await learn();
      if (!isTrusted(digest)) failed.refuse(address);
    },
    noteRight: (digest) => trustedUntil.set(digest, clock.elapsed() + trustedMs),
    noteWrong(digest, address) {
      trustedUntil.forget(digest);
      failed.note(address);
    },
  };
}
