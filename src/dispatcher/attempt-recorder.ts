import { faultIn } from "../domain/fault.ts";
import type { Clock } from "../runtime/clock.ts";
import { createGroup, type Grouped } from "./group.ts";

export type AttemptRecorder<Attempt> = {
  /**
   * Resolves once the attempt is stored. Rejects if it cannot be stored, even alone, or if `stop`
   * came first. Then its claim ends with its lease.
   */
  record: (attempt: Attempt) => Promise<void>;
  /** Drops what is not stored yet. Call it when nothing more is recorded. */
  stop: () => Promise<void>;
};

/**
 * During an outage of the database, attempts wait in memory. They are few, since none begins
 * without the database.
 */
const firstRetryMs = 100;
const longestRetryMs = 2_000;

/**
 * Stores attempts in batches. If one attempt makes its batch fail, the batch is split in halves
 * until that attempt is alone. Only that attempt fails (docs/invariants.md#i8).
 * @param options.write stores all of them or none, in one transaction. `areRepeated`: an earlier
 *   call failed, and may have stored them all the same
 * @param options.batchSize the most attempts in one transaction
 * @param options.lingerMs how long to wait for more attempts before each batch
 */
export function createAttemptRecorder<Attempt>(options: {
  write: (attempts: Attempt[], areRepeated: boolean) => Promise<void>;
  batchSize: number;
  lingerMs: number;
  clock: Clock;
}): AttemptRecorder<Attempt> {
  const { write, batchSize, lingerMs, clock } = options;
  type Entry = Grouped<Attempt, void>;
  const stopping = new AbortController();

  const recording = createGroup<Entry>(async (gathered) => {
    if (gathered.length < batchSize) await clock.sleep(lingerMs, stopping.signal);
    await writeBatch(gathered.splice(0, batchSize));
  });

  async function writeBatch(batch: Entry[]): Promise<void> {
    try {
      await writePatiently(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (batch.length === 1 || isOutage(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      const middle = Math.ceil(batch.length / 2);
      await writeBatch(batch.slice(0, middle));
      await writeBatch(batch.slice(middle));
    }
  }

  async function writePatiently(attempts: Attempt[]): Promise<void> {
    let areRepeated = false;
    for (let retryMs = firstRetryMs; ; retryMs = Math.min(2 * retryMs, longestRetryMs)) {
      try {
        return await write(attempts, areRepeated);
      } catch (error) {
        if (!isOutage(error) || stopping.signal.aborted) throw error;
        areRepeated = true;
        await clock.sleep(retryMs, stopping.signal);
      }
    }
  }

  return {
    record: (item) => new Promise((resolve, reject) => recording.add({ item, resolve, reject })),
    async stop() {
      stopping.abort();
      await recording.settled();
    },
  };
}

function isOutage(error: unknown): boolean {
  return faultIn(error)?.code === "database_unavailable";
}
