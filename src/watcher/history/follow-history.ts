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
 * Waits until a requested history is complete and judged, or cannot be judged soon. A daemon that
 * watches the chain does the work; without one, this process does. If neither can, it ends at once.
 * Safe to interrupt at any time: what has been read is stored.
 * @throws the failures of the chain or the ledger
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
