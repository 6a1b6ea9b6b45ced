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
} as const satisfies Partial<Record<FaultCode, string>>;

/** The same words for what does not exist, what has a malformed id, and what is another's. */
export function notFound(code: keyof typeof nouns): Fault {
  return new Fault(code, `There is no such ${nouns[code]}.`);
}

/** What was looked for. @throws Fault `code` where it is not there */
export function requireFound<Row>(row: Row | null | undefined, code: keyof typeof nouns): Row {
  if (row === null || row === undefined) throw notFound(code);
  return row;
}

/**
 * An id of something that may exist.
 * @throws the Fault of what does not exist, where the text cannot be an id
 */
export function requireId(id: string, code: keyof typeof nouns): string {
  if (isId(id)) return id;
  throw notFound(code);
}
