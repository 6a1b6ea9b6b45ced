import { fieldProblems } from "../../domain/field-problem.ts";
import { invalidField } from "../../domain/text.ts";
import type { Database } from "./database.ts";
import { isStatementTimeout } from "./reaching.ts";
import { inTransactionOf, type Tx } from "./transaction.ts";

/**
 * Runs `work` in one transaction with the time limit of a search for each statement.
 * @throws Fault `invalid_request` if a statement takes longer, since the text `q` matches too much;
 *   `database_unavailable`
 */
export async function asSearch<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await inTransactionOf(db, "search", work);
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    throw invalidField("q", fieldProblems.too_slow.rule);
  }
}
