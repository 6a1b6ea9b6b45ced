import type { Outbound } from "../webhook/outbound.ts";
import type { AttemptResult } from "./delivery.ts";

/** One notification for one receiver. The secrets as the business knows them. */
export type OutgoingMessage = {
  businessId: string;
  url: string;
  secret: string;
  /** While a rotation overlaps. */
  nextSecret: string | null;
  notificationId: string;
  body: string;
  outbound: Outbound;
};

export type Sender = {
  /**
   * POSTs the body once, signed, and answers what came of it; never throws for what a receiver or its network does.
   * Aborting the signal ends it early: the result is then meaningless and must be dropped.
   */
  post: (
    message: OutgoingMessage,
    signal: AbortSignal,
  ) => Promise<AttemptResult & { latencyMs: number }>;
};
