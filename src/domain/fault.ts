import { keysOf } from "./keys-of.ts";

/**
 * The kinds of faults. A fault is something that should not happen. Its code is a stable word for
 * machines. Its message is one sentence for people that says what to do. Normal outcomes (a reorg,
 * a receiver's 500) are values, never faults.
 *
 * A code decides who can fix the fault. `kindOf` gives a code's kind. In one place each, the API
 * turns the kind into an HTTP status, and the process into an exit status.
 */
export type FaultKind =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "gone"
  | "mismatched"
  | "limited"
  | "unavailable"
  | "setup"
  | "internal";

const kinds = {
  // Bad input, which the caller can correct.
  invalid_request: "invalid",
  invalid_address: "invalid",
  invalid_url: "invalid",
  target_refused: "invalid",
  unknown_blockchain: "invalid",
  invalid_api_key: "unauthenticated",
  missing_credentials: "unauthenticated",
  invalid_access_token: "unauthenticated",
  access_token_expired: "unauthenticated",
  invalid_admin_token: "unauthenticated",
  invalid_console_link: "unauthenticated",
  invalid_sign_in: "unauthenticated",
  // The name of RFC 9470.
  insufficient_user_authentication: "unauthenticated",
  console_session_over: "unauthenticated",
  key_revoked: "forbidden",
  key_expired: "forbidden",
  scope_missing: "forbidden",
  network_refused: "forbidden",
  role_missing: "forbidden",
  console_request_refused: "forbidden",
  business_unverified: "forbidden",
  business_suspended: "forbidden",
  business_not_found: "not_found",
  api_key_not_found: "not_found",
  wallet_not_found: "not_found",
  transaction_not_found: "not_found",
  webhook_not_found: "not_found",
  notification_not_found: "not_found",
  console_session_not_found: "not_found",
  token_not_found: "not_found",
  chain_not_found: "not_found",
  reconciliation_not_found: "not_found",
  recovery_not_found: "not_found",
  statement_not_found: "not_found",
  route_not_found: "not_found",
  wallet_exists: "conflict",
  address_refused: "conflict",
  wallet_removed: "conflict",
  limit_reached: "conflict",
  webhook_inactive: "conflict",
  delivery_in_flight: "conflict",
  reconciliation_running: "conflict",
  recovery_running: "conflict",
  close_running: "conflict",
  idempotency_key_in_use: "conflict",
  idempotency_answer_lost: "conflict",
  cursor_unknown: "conflict",
  // It existed before.
  cursor_expired: "gone",
  // The same key was used for another request.
  idempotency_key_reused: "mismatched",
  // Too often. Waiting helps.
  rate_limited: "limited",
  // Out of reach now. A later attempt may work.
  database_unavailable: "unavailable",
  queue_unavailable: "unavailable",
  rpc_unavailable: "unavailable",
  rpc_inconsistent: "unavailable",
  state_unavailable: "unavailable",
  identity_provider_unavailable: "unavailable",
  // The operator's configuration or environment is wrong. Waiting does not help.
  invalid_configuration: "setup",
  database_refused: "setup",
  queue_refused: "setup",
  database_too_new: "setup",
  database_not_migrated: "setup",
  migration_failed: "setup",
  older_release_running: "setup",
  wrong_chain_id: "setup",
  wrong_genesis: "setup",
  chain_stopped: "setup",
  block_unreadable: "setup",
  asset_decimals_changed: "setup",
  port_in_use: "setup",
  wrong_encryption_key: "setup",
  data_directory_in_use: "setup",
  embedded_postgres_failed: "setup",
  local_chain_failed: "setup",
  printing_failed: "setup",
  // A defect of Chainbell.
  invariant_broken: "internal",
} as const satisfies Record<string, FaultKind>;

export type FaultCode = keyof typeof kinds;

export class Fault extends Error {
  override readonly name = "Fault";
  readonly code: FaultCode;
  /** Facts for the operator, besides the message. Never a secret. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(
    code: FaultCode,
    message: string,
    options: { cause?: unknown; facts?: Record<string, unknown> } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.facts = options.facts ?? {};
  }
}

export function kindOf(code: FaultCode): FaultKind {
  return kinds[code];
}

/** Every code that there is. */
export const faultCodes: readonly FaultCode[] = keysOf(kinds);

/** The first Fault in the cause chain, or undefined. */
export function faultIn(error: unknown): Fault | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Fault) return cause;
  }
  return undefined;
}

export function isFaultCode(text: string): text is FaultCode {
  return Object.hasOwn(kinds, text);
}
