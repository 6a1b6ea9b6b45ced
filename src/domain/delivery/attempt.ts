import type { CircuitState } from "../webhook/registration.ts";
import type { ClaimedDelivery } from "./claim.ts";
import type { AttemptOutcome, AttemptResult, DisabledReason } from "./delivery.ts";
import type { NextAttempt } from "./retry-schedule.ts";

/** One POST that was made under a claim, its result, and what follows. */
export type Attempt = Pick<
  ClaimedDelivery,
  "token" | "deliveryId" | "webhookId" | "webhookVersion" | "url" | "secretCiphertext" | "number"
> & {
  /** The time that is signed. */
  startedAt: Date;
  latencyMs: number;
  result: AttemptResult;
  outcome: AttemptOutcome;
  /**
   * The next attempt if this one was not accepted. Its time counts from the record, by the
   * database's clock.
   */
  next: NextAttempt;
};

export type Recorded = {
  /**
   * The deliveries whose state moved. The others had lost their claim, so only their attempt is on
   * record.
   */
  movedDeliveryIds: string[];
  disabled: { webhookId: string; reason: DisabledReason }[];
  /** The webhooks whose circuit has opened or closed. */
  circuits: { webhookId: string; circuit: CircuitState }[];
};
