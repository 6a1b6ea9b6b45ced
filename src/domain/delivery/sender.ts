import type { Outbound } from "../webhook/outbound.ts";
import type { AttemptResult } from "./delivery.ts";

/** One notification for one receiver. The secrets are decrypted. */
export type OutgoingMessage = {
  businessId: string;
  url: string;
  secret: string;
  /** The second secret that signs while a rotation overlaps; null: there is none. */
  nextSecret: string | null;
  notificationId: string;
  /** The notification that was written for the receiver before it; null or left out: none. */
  previousId?: string | null;
  body: string;
  /** The time in the signature, in whole seconds. */
  startedAt: Date;
  outbound: Outbound;
};

export type Sender = {
  /**
   * POSTs the signed body once, and answers the result. Never throws because of a receiver or its
   * network. Aborting the signal ends it early, and its result must then be dropped.
   */
  post: (
    message: OutgoingMessage,
    signal: AbortSignal,
  ) => Promise<AttemptResult & { latencyMs: number }>;
};
