import { Fault } from "../../domain/fault.ts";

/**
 * The most attempts of a statement or transaction that conflicts with another. Then its error is
 * thrown.
 */
const maxTries = 5;

/**
 * Runs one statement or one whole transaction. If two transactions wait for each other, PostgreSQL
 * ends one of them. That one is run again, so `query` must be safe to repeat, and have no effect if
 * it fails.
 * @throws Fault `database_unavailable` if the connection is lost or refused; otherwise what `query`
 *   throws
 */
export async function reaching<T>(query: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await query();
    } catch (error) {
      if (tries < maxTries && isConflict(error)) continue;
      if (isStatementTimeout(error))
        throw new Fault(
          "database_unavailable",
          "PostgreSQL ended a statement that took longer than its kind of work may.",
          { cause: error },
        );
      throw isUnreachable(error)
        ? new Fault("database_unavailable", "The database is out of reach.", { cause: error })
        : error;
    }
  }
}

/** serialization_failure and deadlock_detected, and Prisma's code for both of them. */
const conflicts = new Set(["40001", "40P01", "P2034"]);

function isConflict(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ("code" in cause && conflicts.has(String(cause.code))) return true;
  return false;
}

/**
 * PostgreSQL's codes for "not now":
 * - 57P01-03: it is shutting down or starting.
 * - 08xxx: the connection failed.
 * - 53xxx: it has no disk, memory or connections left.
 * - 28xxx and 3D000: it refuses a login that it accepted at the start.
 * - 55000: the database accepts no logins now.
 * - 25006: the server has become a replica.
 * - 25P03: it ended the transaction, which got no statement for too long.
 */
const passing = /57P0[123]|08[0-9A-Z]{3}|53[0-9A-Z]{3}|28(?:000|P01)|3D000|55000|25006|25P03/;

// First the codes of Prisma, in this order: "refused the login", "cannot reach", "timed out
// reaching", "no such database", "denied", "closed the connection", "no connection free in time",
// "cannot start a transaction in time", "too many connections". Then the codes of the driver and of
// PostgreSQL.
const unreachableCodes = new RegExp(
  `^(P1000|P1001|P1002|P1003|P1010|P1017|P2024|P2028|P2037|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|${passing.source})$`,
);

const unreachableInMeta = new RegExp(
  `ECONNREFUSED|DatabaseNotReachable|ConnectionClosed|SocketTimeout|TooManyConnections|AuthenticationFailed|"(?:${passing.source})"`,
);

/** True if the connection is lost or could not be made, or if the database can do no work now. */
export function isUnreachable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Fault) return false;
    const code = "code" in cause ? String(cause.code) : "";
    if (unreachableCodes.test(code)) return true;
    if (
      /Connection terminated|Can't reach database|timeout exceeded when trying to connect|Query read timeout|is not queryable/i.test(
        cause.message,
      )
    )
      return true;
    const meta = "meta" in cause ? JSON.stringify(cause.meta) : "";
    if (unreachableInMeta.test(meta)) return true;
  }
  return false;
}

/** True if PostgreSQL ended a statement after its `statement_timeout` (57014, query_canceled). */
export function isStatementTimeout(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ("code" in cause && cause.code === "57014") return true;
  return false;
}

/** True if PostgreSQL did not get a lock within `lock_timeout` (55P03). */
export function isLockTimeout(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "55P03";
}
