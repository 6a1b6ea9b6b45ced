import type { CircuitState } from "../webhook/registration.ts";
import type { Send } from "./claim.ts";
import type { AttemptOutcome, AttemptResult, DisabledReason } from "./delivery.ts";
import type { NextAttempt } from "./retry-schedule.ts";

/** One POST that was made under a claim, what came of it, and what is to follow. */
export type AttemptRecord = Pick<
  Send,
  "token" | "deliveryId" | "webhookId" | "url" | "secretCiphertext" | "number"
> & {
  startedAt: Date;
  latencyMs: number;
  result: AttemptResult;
  outcome: AttemptOutcome;
  /** What follows unless it was accepted; its time counts from the record, by the database's clock. */
  next: NextAttempt;
};

export type Recorded = {
  /** The deliveries whose state moved; of the others the claim was lost, and only the attempt is on record. */
  movedDeliveryIds: string[];
  disabled: { webhookId: string; reason: DisabledReason }[];
  /** The webhooks whose circuit has opened or closed. */
  circuits: { webhookId: string; circuit: CircuitState }[];
};
