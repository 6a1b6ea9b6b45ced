import type { FaultKind } from "../../domain/fault.ts";

/** Whose it is to mend, as an HTTP status: the one map. */
export const faultStatus = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  mismatched: 422,
  limited: 429,
  unavailable: 503,
  setup: 500,
  internal: 500,
} as const satisfies Record<FaultKind, number>;
