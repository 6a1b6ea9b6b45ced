import { fieldProblems } from "../../domain/field-problem.ts";
import { invalidField } from "../../domain/text.ts";
import type { Database } from "./database.ts";
import { isStatementTimeout } from "./reaching.ts";
import { inTransactionOf, type Tx } from "./transaction.ts";

/**
 * Runs `work` in one transaction with the time limit of a search for each statement.
 * @param slow `too_slow`: more of the text `q` helps; `too_long`: a shorter time does
 * @throws Fault `invalid_request` if a statement takes longer; `database_unavailable`
 */
export async function asSearch<T>(
  db: Database,
  work: (tx: Tx) => Promise<T>,
  slow: "too_slow" | "too_long" = "too_slow",
): Promise<T> {
  try {
    return await inTransactionOf(db, "search", work);
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    throw invalidField(slow === "too_slow" ? "q" : "from", fieldProblems[slow].rule);
  }
}
