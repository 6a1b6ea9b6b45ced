import type { ChannelName } from "./alert-settings.ts";
import type { ChannelFailure } from "./channel-failure.ts";
import type { AlertNews, AlertState } from "./decide.ts";
import type { AlertMessage } from "./message.ts";

/** Maps the stored states and a time of the database's clock to new states and messages. */
type Deciding = (
  states: readonly AlertState[],
  nowMs: number,
) => { states: readonly AlertState[]; news: readonly AlertNews[] };

/** A message for one channel, and the number of failed attempts to send it. */
export type DueAlert = { message: AlertMessage; attempts: number };

/** The stored state of alerts. One process of each database holds the lease and does the work. */
export type AlertLedger = {
  /** Takes or extends the lease. True: this process has it. Safe to repeat. */
  takeLease: () => Promise<boolean>;
  /** Gives the lease up. Safe to repeat. */
  releaseLease: () => Promise<void>;
  /**
   * Decides, and writes the messages for each channel, in one transaction. Does nothing if another
   * process has taken the lease. Gives up messages that a channel did not accept for a day.
   */
  settle: (
    channels: readonly ChannelName[],
    decide: Deciding,
  ) => Promise<{ message: AlertMessage | null; givenUp: number }>;
  /**
   * The oldest message that the channel has not accepted. Null: there is none, or it is not due
   * yet. A message that is due later than the longest pause counts as due now.
   */
  readDue: (channel: ChannelName, longestPauseMs: number) => Promise<DueAlert | null>;
  recordSent: (channel: ChannelName, id: string) => Promise<void>;
  /**
   * Makes the message due again after `againInMs`. `failure` is the channel's answer, for `doctor`.
   */
  recordFailure: (
    channel: ChannelName,
    failed: { id: string; failure: ChannelFailure; againInMs: number },
  ) => Promise<void>;
};

/** A stored condition, and since when it holds. */
export type AlertStart = Pick<AlertState, "kind" | "subject" | "sinceMs">;

/**
 * The state of a channel. `sentAt`: when it last accepted a message. `failure`: its answer to the
 * oldest message that it has not accepted yet.
 */
export type ChannelReport = {
  channel: ChannelName;
  sentAt: Date | null;
  waiting: number;
  failure: string | null;
  /** Its word and values. Null: there is no failure, or an earlier release stored it. */
  failureCode: string | null;
  failureValues: ChannelFailure["values"] | null;
};
