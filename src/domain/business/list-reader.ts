import type { BusinessLedger } from "./business-ledger.ts";

/** What a replica of the database may answer: lists and counts, which are long to read and never the ground of a change. */
export type ListLedger = Pick<
  BusinessLedger,
  "readTransactions" | "readNotifications" | "countTransactions" | "countNotifications"
>;

/** Which server answered. What a replica knows is what the primary knew at most `stalenessMs` before. */
export type Served = { by: "primary" } | { by: "replica"; stalenessMs: number };

/** Reads wherever it may be read, and answers where that was. Fails as what is read does. */
export type ReadFrom<Ledger> = <Answer>(
  read: (ledger: Ledger) => Promise<Answer>,
) => Promise<{ answer: Answer; served: Served }>;

export type ReadLists = ReadFrom<ListLedger>;

/** Where there is no replica. */
export function fromPrimary<Ledger>(ledger: Ledger): ReadFrom<Ledger> {
  return async (read) => ({ answer: await read(ledger), served: { by: "primary" } });
}
