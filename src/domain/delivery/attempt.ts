import type { CircuitState } from "../webhook/registration.ts";
import type { ClaimedDelivery } from "./claim.ts";
import type { AttemptOutcome, AttemptResult, DisabledReason } from "./delivery.ts";
import type { NextAttempt } from "./retry-schedule.ts";

/** One POST of a claim, its result, and the next step. */
export type Attempt = Pick<
  ClaimedDelivery,
  "token" | "deliveryId" | "webhookId" | "webhookVersion" | "url" | "secretCiphertext" | "number"
> & {
  /** The time in the signature. */
  startedAt: Date;
  latencyMs: number;
  result: AttemptResult;
  outcome: AttemptOutcome;
  /**
   * The next attempt if this one was not accepted. Its delay counts from the recording, by the
   * database's clock.
   */
  next: NextAttempt;
};

/** The changes of webhooks by the health that attempts show. */
export type Judged = {
  disabled: { webhookId: string; reason: DisabledReason }[];
  /** The webhooks whose circuit has opened or closed. */
  circuits: { webhookId: string; circuit: CircuitState }[];
};

export type Recorded = Judged & {
  /**
   * The deliveries whose state has changed. The others had lost their claim, so only their attempts
   * were logged.
   */
  movedDeliveryIds: string[];
  /** The number of attempts that were on record already. */
  repeated: number;
  /** The attempts whose webhooks another transaction held. Their health has not moved. */
  unjudged: Attempt[];
};
