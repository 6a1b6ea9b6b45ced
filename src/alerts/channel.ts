import type { ChannelName } from "../domain/alerts/alert-settings.ts";
import type { AlertMessage } from "../domain/alerts/message.ts";

/** One way to reach an operator. */
export type AlertChannel = {
  name: ChannelName;
  /**
   * Sends once, and returns the answer in one line. Throws what went wrong if the message was not
   * accepted. Ends if the signal is aborted.
   */
  send: (message: AlertMessage, signal: AbortSignal) => Promise<string>;
};

/** The limit for one whole sending. */
export const sendTimeoutMs = 15_000;
