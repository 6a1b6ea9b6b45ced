import type { BusinessLedger } from "./business-ledger.ts";

/**
 * The methods that a replica of the database may answer: lists and counts. They are slow to read,
 * and no change depends on them.
 */
export type ListLedger = Pick<
  BusinessLedger,
  | "readTransactions"
  | "readSightings"
  | "readRecordedTransactions"
  | "readNotifications"
  | "readFullNotifications"
  | "readTotals"
  | "countTransactions"
  | "countNotifications"
>;

/** The server that answered. A replica is at most `stalenessMs` behind the primary. */
export type Served = { by: "primary" } | { by: "replica"; stalenessMs: number };

/**
 * Reads from any server that may answer, and says which one did. Fails as the reading itself does.
 * @param maxStalenessMs the most that a replica may be behind; left out: as far as the operator
 *   allows
 */
export type ReadFrom<Ledger> = <Answer>(
  read: (ledger: Ledger) => Promise<Answer>,
  maxStalenessMs?: number,
) => Promise<{ answer: Answer; served: Served }>;

export type ReadLists = ReadFrom<ListLedger>;

/** Reads from the primary, if there is no replica. */
export function fromPrimary<Ledger>(ledger: Ledger): ReadFrom<Ledger> {
  return async (read) => ({ answer: await read(ledger), served: { by: "primary" } });
}
