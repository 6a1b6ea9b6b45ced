import type { ChannelName } from "./alert-settings.ts";
import type { AlertNews, AlertState } from "./decide.ts";
import type { AlertMessage } from "./message.ts";

/**
 * Maps the remembered states, at a moment of the database's clock, to the new states and the
 * messages.
 */
type Deciding = (
  states: readonly AlertState[],
  nowMs: number,
) => { states: readonly AlertState[]; news: readonly AlertNews[] };

/** A message for one channel, and the number of failed attempts to send it. */
export type DueAlert = { message: AlertMessage; attempts: number };

/** The memory of alerts. One process of each database has the lease and does the work. */
export type AlertLedger = {
  /** Takes the lease or keeps it; true while this process has it. Safe to repeat. */
  takeLease: () => Promise<boolean>;
  /** Gives the lease up. Safe to repeat. */
  releaseLease: () => Promise<void>;
  /**
   * Decides, and writes the messages for each channel, in one transaction. If another process has
   * taken the lease meanwhile, nothing is decided. A message that a channel has not taken for a day
   * is given up.
   */
  settle: (
    channels: readonly ChannelName[],
    decide: Deciding,
  ) => Promise<{ message: AlertMessage | null; givenUp: number }>;
  /**
   * The oldest message that the channel has not taken. Null: there is none, or it is not due yet. A
   * message that is due later than the longest pause counts as due now.
   */
  readDue: (channel: ChannelName, longestPauseMs: number) => Promise<DueAlert | null>;
  recordSent: (channel: ChannelName, id: string) => Promise<void>;
  /**
   * The message is due again after `againInMs`. `failure` is the channel's answer, for `doctor`.
   */
  recordFailure: (
    channel: ChannelName,
    failed: { id: string; failure: string; againInMs: number },
  ) => Promise<void>;
};

/** The time since which a remembered condition holds. */
export type AlertStart = Pick<AlertState, "kind" | "subject" | "sinceMs">;

/**
 * The state of a channel. `sentAt` is the last time it took a message. `failure` is its answer to
 * the oldest message that it has refused and not taken since.
 */
export type ChannelReport = {
  channel: ChannelName;
  sentAt: Date | null;
  waiting: number;
  failure: string | null;
};
