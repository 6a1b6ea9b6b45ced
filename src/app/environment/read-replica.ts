import type { ReadFrom } from "../../domain/business/list-reader.ts";
import { faultIn } from "../../domain/fault.ts";
import { closeDatabase, type Database } from "../../ledger/postgres/database.ts";
import { readReplayed, readWritten } from "../../ledger/postgres/replication.ts";
import { systemClock as clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Service } from "../../runtime/service.ts";
import { withTimeout } from "../../runtime/with-timeout.ts";
import { lookEvery } from "./look-every.ts";

/**
 * The pause between two looks at the replica's position, in ms. Each look costs each server one
 * short statement.
 */
const lookMs = 1_000;

/** The longest wait for the replica, in ms, both for a look and for a list. */
const answerMs = 5_000;

type Replica<Ledger> = {
  primary: { db: Database; ledger: Ledger };
  replica: { db: Database; ledger: Ledger };
  /** The greatest age of the replica's data, in ms. Lists come from the primary if it is older. */
  maxStalenessMs: number;
  log: Logger;
};

/**
 * Reads lists from a replica if its data is recent enough, else from the primary. At each look it
 * notes the position to which the primary had written, with the time of this process's clock. The
 * replica is as recent as the newest such note that it has reached. Neither server's clock matters,
 * nor the age that the replica reports. If the replica fails to answer a list, the primary answers
 * it. The service closes the replica's connections. It is never in trouble: without a replica, the
 * primary only has more load.
 */
export function createReplicaReader<Ledger>({
  primary,
  replica,
  maxStalenessMs,
  log,
}: Replica<Ledger>): { service: Service; readLists: ReadFrom<Ledger> } {
  /** The positions to which the primary had written, each with its time, oldest first. */
  let written: { position: bigint; atMs: number }[] = [];
  /** At this time the replica had all that the primary knew. Null: not known. */
  let asOfMs: number | null = null;

  async function look(): Promise<void> {
    const atMs = clock.elapsed();
    written.push({ position: await readWritten(primary.db), atMs });
    written = written.filter((then) => atMs - then.atMs <= maxStalenessMs);
    const position = await inTime(readReplayed(replica.db));
    if (position === null) {
      asOfMs = null;
      throw new Error("The server of DATABASE_READ_URL is no replica: the primary is asked.");
    }
    const had = written.filter((then) => then.position <= position).at(-1);
    asOfMs = had?.atMs ?? asOfMs;
  }

  const loop = lookEvery({
    name: "read replica",
    everyMs: lookMs,
    stuckAfterMs: null,
    look,
    onError: (error) => log.warn({ error }, "replica.not_read"),
  });
  const service: Service = {
    ...loop,
    async stop() {
      await loop.stop();
      await closeDatabase(replica.db);
    },
  };
  return {
    service,
    async readLists(read, wantedMs = maxStalenessMs) {
      const stalenessMs = asOfMs === null ? null : clock.elapsed() - asOfMs;
      if (stalenessMs !== null && stalenessMs <= Math.min(wantedMs, maxStalenessMs)) {
        try {
          const answer = await inTime(read(replica.ledger));
          return { answer, served: { by: "replica", stalenessMs } };
        } catch (error) {
          // The replica may refuse a request only because it lacks the newest data.
          if (isOfReplica(error)) log.warn({ error }, "replica.not_read");
        }
      }
      return { answer: await read(primary.ledger), served: { by: "primary" } };
    },
  };
}

function isOfReplica(error: unknown): boolean {
  const fault = faultIn(error);
  return fault === undefined || fault.code === "database_unavailable";
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const timed = await withTimeout(work, { timeoutMs: answerMs, clock });
  if (timed.kind === "late") throw new Error(`The replica did not answer in ${answerMs} ms.`);
  return timed.value;
}
