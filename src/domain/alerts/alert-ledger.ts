import type { ChannelName } from "./alert-settings.ts";
import type { AlertNews, AlertState } from "./decide.ts";
import type { AlertMessage } from "./message.ts";

/** From what is remembered, at a moment of the database's clock, to what is remembered and said from then on. */
type Deciding = (
  states: readonly AlertState[],
  nowMs: number,
) => { states: readonly AlertState[]; news: readonly AlertNews[] };

/** What is to be sent to one channel, and how often that has failed. */
export type DueAlert = { message: AlertMessage; attempts: number };

/** How alerts are remembered. Of all processes of a database one has the lease, and works. */
export type AlertLedger = {
  /** True while this process is the one. Safe to repeat. */
  takeLease: () => Promise<boolean>;
  /** Gives the lease up. Safe to repeat. */
  releaseLease: () => Promise<void>;
  /**
   * Decides, and writes what is then to be sent to each channel, in one transaction. Where another process has taken the lease meanwhile
   * nothing is decided. Messages that a channel has not taken for a day are given up.
   */
  settle: (
    channels: readonly ChannelName[],
    decide: Deciding,
  ) => Promise<{ message: AlertMessage | null; givenUp: number }>;
  /** The oldest message that the channel has not taken; null: there is none, or it is not due yet. Whatever is due later than the longest pause is due now. */
  readDue: (channel: ChannelName, longestPauseMs: number) => Promise<DueAlert | null>;
  recordSent: (channel: ChannelName, id: string) => Promise<void>;
  /** It is due again after `againInMs`. `failure` is what the channel answered, for `doctor`. */
  recordFailure: (
    channel: ChannelName,
    failed: { id: string; failure: string; againInMs: number },
  ) => Promise<void>;
};

/** How a channel does: when it last took a message, and what it answered since, where it did not. */
export type ChannelReport = {
  channel: ChannelName;
  sentAt: Date | null;
  waiting: number;
  failure: string | null;
};
