import type { Outbound } from "../webhook/outbound.ts";
import type { AttemptResult } from "./delivery.ts";

/** One notification for one receiver. The secrets are as the business knows them. */
export type OutgoingMessage = {
  businessId: string;
  url: string;
  secret: string;
  /** The secret that also signs while a rotation overlaps; null: there is none. */
  nextSecret: string | null;
  notificationId: string;
  /** The notification that was written for the receiver before it; left out, or null: none. */
  previousId?: string | null;
  body: string;
  /** The time that is signed, in whole seconds. */
  startedAt: Date;
  outbound: Outbound;
};

export type Sender = {
  /**
   * POSTs the signed body once, and answers with the result. Never throws for anything that a
   * receiver or its network does. Aborting the signal ends it early. The result is then meaningless
   * and must be dropped.
   */
  post: (
    message: OutgoingMessage,
    signal: AbortSignal,
  ) => Promise<AttemptResult & { latencyMs: number }>;
};
