import type { HistoryProgress } from "../../domain/watch/history.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { WatchLease } from "../lease.ts";
import type { HistoryOutcome } from "./fill-history.ts";

type Ports = {
  readProgress: () => Promise<HistoryProgress>;
  /**
   * One bounded step of reading the chain's histories; null where this process has no endpoint to
   * read from.
   */
  fill: (() => Promise<HistoryOutcome>) | null;
  lease: Omit<WatchLease, "keep">;
  clock: Clock;
};

/** Between two looks at what another process has done. */
const pauseMs = 500;

/**
 * Looks for the verdict before it is given up. The verdict needs the opening balance, whose block
 * has to be confirmed.
 */
const maxVerdictPauses = 20;

/**
 * Waits until a history that was asked for is complete and judged, or cannot be judged soon. A
 * daemon that watches the chain does the work; where there is none, this process does. Where
 * neither can, it ends at once. Safe to break off at any time: what has been read is stored.
 * @throws what the chain or the ledger fails with
 */
export async function followHistory(
  ports: Ports,
  onProgress: (progress: HistoryProgress) => void,
): Promise<HistoryProgress> {
  const { readProgress, fill, lease, clock } = ports;
  const never = new AbortController().signal;
  let pauses = 0;
  try {
    for (;;) {
      const progress = await readProgress();
      onProgress(progress);
      const isRead = progress.nextNumber > progress.untilNumber;
      if (progress.verdict !== null || (isRead && pauses >= maxVerdictPauses)) return progress;
      const isOurs = await lease.take();
      if (isOurs && fill === null) return progress;
      const outcome = isOurs && fill !== null ? await fill() : { kind: "idle" };
      if (outcome.kind === "read" || outcome.kind === "judged") continue;
      if (isRead) pauses += 1;
      await clock.sleep(pauseMs, never);
    }
  } finally {
    await lease.release().catch(() => {});
  }
}
