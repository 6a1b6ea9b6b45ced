import type { HistoryProgress } from "../../domain/watch/history.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { WatchLease } from "../lease.ts";
import type { HistoryOutcome } from "./fill-history.ts";

type Ports = {
  readProgress: () => Promise<HistoryProgress>;
  /** One bounded step of reading the chain's histories. Null: this process has no endpoint. */
  fill: (() => Promise<HistoryOutcome>) | null;
  lease: Omit<WatchLease, "keep">;
  clock: Clock;
};

/** The pause between two looks at another process's progress. */
const pauseMs = 500;

/**
 * The number of looks that wait for the verdict. It needs the opening balance, whose block must be
 * confirmed.
 */
const maxVerdictPauses = 20;

/**
 * The number of looks in a row without a daemon on the chain, and without progress of
 * this process. Some seconds: a daemon that has just started takes the chain only then.
 */
const maxUnwatchedPauses = 10;

/**
 * The number of looks in a row at a history that stays where it is, while the daemon holds one.
 * The daemon may hold another history.
 */
const maxHeldPauses = 40;

/** `isWatched`: another process watched the chain at the last look, and goes on. */
export type FollowedHistory = HistoryProgress & { isWatched: boolean };

/**
 * Waits until a requested history is complete and judged, or cannot be judged soon. A daemon that
 * watches the chain does the work; without one, this process does. If neither can, it ends: at once
 * without an endpoint, and else after some seconds. `heldAt` then says at which block it is held.
 * A daemon that starts gets the chain at the next look. Safe to interrupt at any time: what has
 * been read is stored.
 * @throws the failures of the chain or the ledger
 */
export async function followHistory(
  ports: Ports,
  onProgress: (progress: HistoryProgress) => void,
): Promise<FollowedHistory> {
  const { readProgress, fill, lease, clock } = ports;
  const never = new AbortController().signal;
  let verdictPauses = 0;
  let unwatchedPauses = 0;
  let heldPauses = 0;
  let before: bigint | null = null;
  let ownHeldAt: bigint | null = null;
  try {
    for (;;) {
      const progress = await readProgress();
      onProgress(progress);
      const isWatched = !(await lease.take());
      const isRead = progress.nextNumber > progress.untilNumber;
      const isJudged = progress.verdict !== null || (isRead && verdictPauses >= maxVerdictPauses);
      const isLeft = !isWatched && (fill === null || unwatchedPauses >= maxUnwatchedPauses);
      const heldAt = isWatched ? progress.heldAt : ownHeldAt;
      heldPauses = heldAt === null || progress.nextNumber !== before ? 0 : heldPauses + 1;
      before = progress.nextNumber;
      if (isJudged || isLeft || heldPauses >= maxHeldPauses)
        return { ...progress, heldAt: isRead ? null : heldAt, isWatched };
      const outcome: HistoryOutcome = isWatched || fill === null ? { kind: "idle" } : await fill();
      const isHeld = outcome.kind === "not_linked" || outcome.kind === "not_shown";
      ownHeldAt = isHeld ? outcome.from : null;
      const isDone = outcome.kind === "read" || outcome.kind === "judged";
      unwatchedPauses = isWatched || isDone ? 0 : unwatchedPauses + 1;
      if (isDone) continue;
      if (isRead) verdictPauses += 1;
      await clock.sleep(pauseMs, never);
    }
  } finally {
    await lease.release().catch(() => {});
  }
}
