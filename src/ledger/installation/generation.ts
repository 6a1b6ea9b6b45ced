import { faultIn } from "../../domain/fault.ts";
import { clientsOf, type Database } from "../postgres/database.ts";
import { requireGeneration } from "../postgres/generation.ts";
import { reaching } from "../postgres/reaching.ts";

/**
 * Finds out if a release of a later generation has migrated the database since this process began.
 * Reads one row. Fault `database_unavailable`.
 * @returns the fault that this process has to end with; null: no later release has migrated it
 */
export async function findLaterGeneration(db: Database) {
  try {
    await reaching(() => requireGeneration(clientsOf(db).pool));
    return null;
  } catch (error) {
    const fault = faultIn(error);
    if (fault?.code === "database_too_new") return fault;
    throw error;
  }
}
