import { Fault, type FaultCode } from "./fault.ts";
import { isId } from "./id.ts";

const nouns = {
  business_not_found: "business",
  api_key_not_found: "API key",
  wallet_not_found: "wallet",
  transaction_not_found: "transaction",
  webhook_not_found: "webhook",
  notification_not_found: "notification",
  console_session_not_found: "session",
  token_not_found: "token",
  reconciliation_not_found: "reconciliation of credits",
  recovery_not_found: "recovery",
  statement_not_found: "statement",
} as const satisfies Partial<Record<FaultCode, string>>;

/**
 * The fault for a thing that does not exist, belongs to somebody else, or has a malformed id. All
 * three have the same words.
 */
export function notFound(code: keyof typeof nouns): Fault {
  return new Fault(code, `There is no such ${nouns[code]}.`);
}

/** The row that was found. @throws Fault `code` if there is none */
export function requireFound<Row>(row: Row | null | undefined, code: keyof typeof nouns): Row {
  if (row === null || row === undefined) throw notFound(code);
  return row;
}

/** The id, if it has the form of one. @throws Fault `code`, as if the thing did not exist */
export function requireId(id: string, code: keyof typeof nouns): string {
  if (isId(id)) return id;
  throw notFound(code);
}
