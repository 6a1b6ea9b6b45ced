import { faultIn } from "../domain/fault.ts";
import type { Clock } from "../runtime/clock.ts";

export type AttemptRecorder<Outcome> = {
  /**
   * Resolves once the outcome is on record. Rejects when it cannot be recorded, alone either, or when `stop` came
   * first: its claim then ends with its lease.
   */
  record: (outcome: Outcome) => Promise<void>;
  /** Gives up what is not on record yet; called when nothing is recorded any more. */
  stop: () => Promise<void>;
};

/** An outage of the database is waited out: outcomes are few, since nothing new begins without it. */
const firstRetryMs = 100;
const longestRetryMs = 2_000;

/**
 * Group commit: while one batch is written the next gathers, so a batch is as large as the load makes it. A batch that
 * fails for what is in it is split in halves until the outcome at fault is alone, and only that one fails
 * (docs/invariants.md#i8).
 * @param options.write all of them or none, in one transaction
 * @param options.batchSize outcomes in one transaction at most
 * @param options.lingerMs waited before each batch, for more outcomes to gather
 */
export function createAttemptRecorder<Outcome>(options: {
  write: (outcomes: Outcome[]) => Promise<void>;
  batchSize: number;
  lingerMs: number;
  clock: Clock;
}): AttemptRecorder<Outcome> {
  const { write, batchSize, lingerMs, clock } = options;
  type Entry = { outcome: Outcome; resolve: () => void; reject: (error: unknown) => void };
  const stopping = new AbortController();
  const gathered: Entry[] = [];
  let writing: Promise<void> | null = null;

  async function writeAll(): Promise<void> {
    while (gathered.length > 0) {
      if (gathered.length < batchSize) await clock.sleep(lingerMs, stopping.signal);
      await writeBatch(gathered.splice(0, batchSize));
    }
    writing = null;
  }

  async function writeBatch(batch: Entry[]): Promise<void> {
    try {
      await writePatiently(batch.map(({ outcome }) => outcome));
      for (const entry of batch) entry.resolve();
    } catch (error) {
      if (batch.length === 1 || isOutage(error)) {
        for (const entry of batch) entry.reject(error);
        return;
      }
      const middle = Math.ceil(batch.length / 2);
      await writeBatch(batch.slice(0, middle));
      await writeBatch(batch.slice(middle));
    }
  }

  async function writePatiently(outcomes: Outcome[]): Promise<void> {
    for (let retryMs = firstRetryMs; ; retryMs = Math.min(2 * retryMs, longestRetryMs)) {
      try {
        return await write(outcomes);
      } catch (error) {
        if (!isOutage(error) || stopping.signal.aborted) throw error;
        await clock.sleep(retryMs, stopping.signal);
      }
    }
  }

  return {
    record(outcome) {
      return new Promise((resolve, reject) => {
        gathered.push({ outcome, resolve, reject });
        writing ??= writeAll();
      });
    },
    async stop() {
      stopping.abort();
      await writing;
    },
  };
}

function isOutage(error: unknown): boolean {
  return faultIn(error)?.code === "database_unavailable";
}
