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

export type NotFoundCode = keyof typeof nouns;

export function isNotFoundCode(code: string): code is NotFoundCode {
  return Object.hasOwn(nouns, code);
}

/**
 * The fault for a thing that does not exist, belongs to somebody else, or has a malformed id. All
 * three have the same words.
 */
export function notFound(code: NotFoundCode): Fault {
  return new Fault(code, `There is no such ${nouns[code]}: check the id.`);
}

export function chainNotFound(name: string): Fault {
  const message = `There is no chain '${name}': GET /chains and the command status list the names.`;
  return new Fault("chain_not_found", message);
}

/** The row that was found. @throws Fault `code` if there is none */
export function requireFound<Row>(row: Row | null | undefined, code: NotFoundCode): Row {
  if (row === null || row === undefined) throw notFound(code);
  return row;
}

/**
 * The id in lower case, as the ledger writes it, if it has the form of one.
 * @throws Fault `code`, as if the thing did not exist
 */
export function requireId(id: string, code: NotFoundCode): string {
  if (isId(id)) return id.toLowerCase();
  throw notFound(code);
}
