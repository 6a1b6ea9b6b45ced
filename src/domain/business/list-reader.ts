import type { BusinessLedger } from "./business-ledger.ts";

/** What a replica of the database may answer: lists and counts, which are long to read and never the ground of a change. */
export type ListLedger = Pick<
  BusinessLedger,
  "readTransactions" | "readNotifications" | "countTransactions" | "countNotifications"
>;

/** Which server answered. What a replica knows is what the primary knew at most `stalenessMs` before. */
type Served = { by: "primary" } | { by: "replica"; stalenessMs: number };

/** Reads lists wherever they may be read, and answers where that was. Fails as the method that is called does. */
export type ReadLists = <Answer>(
  read: (ledger: ListLedger) => Promise<Answer>,
) => Promise<{ answer: Answer; served: Served }>;

/** Where there is no replica. */
export function fromPrimary(ledger: ListLedger): ReadLists {
  return async (read) => ({ answer: await read(ledger), served: { by: "primary" } });
}
