import type { AttemptOutcome, AttemptResult } from "../domain/delivery/delivery.ts";

/**
 * The meaning of an answer (docs/contract.md#delivery-and-retries). 2xx is delivered, and 410 asks
 * for no more. Everything else is tried again, redirects and all other 4xx included: a receiver
 * with a broken deployment must not lose events.
 */
export function classifyResponse(result: AttemptResult): AttemptOutcome {
  if (result.kind === "unanswered") return "retry";
  if (result.statusCode >= 200 && result.statusCode < 300) return "accepted";
  return result.statusCode === 410 ? "gone" : "retry";
}

/** Only a receiver that says it is overloaded may ask for a pause. */
export function askedPauseMs(result: AttemptResult): number | null {
  if (result.kind === "unanswered") return null;
  return [429, 503].includes(result.statusCode) ? result.retryAfterMs : null;
}
