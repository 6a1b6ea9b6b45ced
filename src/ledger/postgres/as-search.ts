import { invalidField } from "../../domain/text.ts";
import type { Database } from "./database.ts";
import { isStatementTimeout } from "./reaching.ts";
import { inTransactionOf, type Tx } from "./transaction.ts";

/**
 * Runs `work` in one transaction whose statements may take as long as a search. Where one takes
 * longer, the text `q` that is looked for names too much.
 * @throws Fault `invalid_request`, `database_unavailable`
 */
export async function asSearch<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await inTransactionOf(db, "search", work);
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    throw invalidField("q", "must have more of the text: the search took too long");
  }
}
