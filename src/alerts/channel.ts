import type { ChannelName } from "../domain/alerts/alert-settings.ts";
import type { AlertMessage } from "../domain/alerts/message.ts";

/** One way to reach an operator. */
export type AlertChannel = {
  name: ChannelName;
  /**
   * Sends once, and answers in one line what it was answered. Throws what went wrong, where nobody
   * has taken it. Ends when the signal is aborted.
   */
  send: (message: AlertMessage, signal: AbortSignal) => Promise<string>;
};

/** Over everything that one sending takes. */
export const sendTimeoutMs = 15_000;
