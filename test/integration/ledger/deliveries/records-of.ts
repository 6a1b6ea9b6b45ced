import type { Attempt } from "../../../../src/domain/delivery/attempt.ts";
import type { ClaimedDelivery } from "../../../../src/domain/delivery/claim.ts";

export type Begun = { token: string; sends: ClaimedDelivery[] };

/** Of each send of a claim: that it was answered so, and what follows. */
export function recordsOf({ token, sends }: Begun, statusCode: number): Attempt[] {
  return sends.map((send) => ({
    ...send,
    token,
    startedAt: new Date(),
    latencyMs: 12,
    result: { kind: "answered", statusCode, retryAfterMs: null, response: "said" },
    outcome: statusCode === 200 ? "accepted" : statusCode === 410 ? "gone" : "retry",
    next: { kind: "retry", delayMs: 60_000 },
  }));
}
