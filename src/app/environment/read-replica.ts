import type { ReadFrom } from "../../domain/business/list-reader.ts";
import { faultIn } from "../../domain/fault.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import { readReplayed, readWritten } from "../../ledger/postgres/replication.ts";
import { systemClock as clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Service } from "../../runtime/service.ts";
import { within } from "../../runtime/within.ts";
import { lookEvery } from "./look-every.ts";

/** How often it is looked how far the replica is. Each look costs one short statement on either server. */
const lookMs = 1_000;

/** A replica that takes longer is not waited for, neither for a look nor for a list. */
const answerMs = 5_000;

type Replica<Ledger> = {
  primary: { db: Database; ledger: Ledger };
  replica: { db: Database; ledger: Ledger };
  /** What a replica knows may be as old, in ms; else the primary is asked. */
  maxStalenessMs: number;
  log: Logger;
};

/**
 * Lists from a replica while it is known to be recent enough, else from the primary. How old it is follows from how far the primary had
 * written at a time of this process's clock, and whether the replica has that by now: neither server's clock counts, nor what the
 * replica believes of itself. A list that the replica does not answer, for whatever reason, is asked of the primary. The service closes the
 * replica's connections, and is never in trouble: without it nothing is wrong but the load.
 */
export function createReplicaReader<Ledger>({
  primary,
  replica,
  maxStalenessMs,
  log,
}: Replica<Ledger>): { service: Service; readLists: ReadFrom<Ledger> } {
  /** How far the primary had written, and when; the oldest first. */
  let written: { position: bigint; atMs: number }[] = [];
  /** When the primary knew no more than the replica does; null: nobody knows. */
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
    look,
    onError: (error) => log.warn({ error }, "replica.not_read"),
  });
  const service: Service = {
    ...loop,
    async stop() {
      await loop.stop();
      await replica.db.$disconnect();
    },
    trouble: () => null,
  };
  return {
    service,
    async readLists(read) {
      const stalenessMs = asOfMs === null ? null : clock.elapsed() - asOfMs;
      if (stalenessMs !== null && stalenessMs <= maxStalenessMs) {
        try {
          const answer = await inTime(read(replica.ledger));
          return { answer, served: { by: "replica", stalenessMs } };
        } catch (error) {
          // What it refuses, it may refuse for what it does not know yet.
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
  const timed = await within(work, { timeoutMs: answerMs, clock });
  if (timed.kind === "late") throw new Error(`The replica did not answer in ${answerMs} ms.`);
  return timed.value;
}
