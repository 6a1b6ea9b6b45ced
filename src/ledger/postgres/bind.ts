import type { Database } from "./database.ts";

/** A ledger function with its database filled in: what a stage states as a method of its port. */
export function bind<Input extends unknown[], Output>(
  db: Database,
  work: (db: Database, ...input: Input) => Output,
): (...input: Input) => Output {
  return (...input) => work(db, ...input);
}
