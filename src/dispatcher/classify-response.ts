import type { AttemptOutcome, AttemptResult } from "../domain/delivery/delivery.ts";

/**
 * The meaning of an answer (docs/contract.md#delivery-and-retries). 2xx: delivered. 410: stop.
 * Every other answer is retried, including redirects and other 4xx: a receiver with a broken
 * deployment must not lose events.
 */
export function classifyResponse(result: AttemptResult): AttemptOutcome {
  if (result.kind === "unanswered") return "retry";
  if (result.statusCode >= 200 && result.statusCode < 300) return "accepted";
  return result.statusCode === 410 ? "gone" : "retry";
}

/** The pause that an answer asks for. Only a receiver that says it is overloaded gets one. */
export function askedPauseMs(result: AttemptResult): number | null {
  if (result.kind === "unanswered") return null;
  return [429, 503].includes(result.statusCode) ? result.retryAfterMs : null;
}
