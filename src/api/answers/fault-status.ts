import type { FaultKind } from "../../domain/fault.ts";

/** The only map from who has to act on a fault to an HTTP status. */
export const faultStatus = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  mismatched: 422,
  limited: 429,
  unavailable: 503,
  setup: 500,
  internal: 500,
} as const satisfies Record<FaultKind, number>;
