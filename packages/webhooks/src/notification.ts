import type { statuses } from "./statuses.ts";

type NotificationEvent = keyof typeof statuses;

/** What happened to a transaction. The other event, `webhook.test`, is a trial of the webhook. */
export type TransactionEvent = Exclude<NotificationEvent, "webhook.test">;

export type NotificationData = {
  /** The transaction in GET /transactions. The same in every notification of it. */
  transactionId: string;
  txHash: string;
  /** A decimal in units of the asset, exact: keep it as text or read it with a decimal library. */
  amount: string;
  asset: string;
  blockchain: string;
  /** EIP-55 checksummed; the zero address for a mint. */
  fromAddress: string;
  type: "deposit" | "withdrawal" | "payment";
  toAddress: string;
  walletId: string;
  /** The wallet's reference as you gave it, or null. */
  reference: string | null;
  blockNumber: number;
  /** 32 bytes that the payer chose (TIP-20 on Tempo); left out where there are none. */
  memo?: string;
  /** The virtual address that was paid, whose master wallet has the money (TIP-1022 on Tempo); left out where none was. */
  virtualAddress?: string;
};

/** What the data of one event has beside that. */
type More<Event> = Event extends "transaction.reversed"
  ? { /** The notification that this one undoes. */ reversesNotificationId?: string }
  : unknown;

type Of<Event extends NotificationEvent> = {
  /** The same on every attempt and redelivery: remember it. */
  id: string;
  event: Event;
  /** When the event happened, ISO 8601 UTC. */
  timestamp: string;
  data: NotificationData & { status: (typeof statuses)[Event] } & More<Event>;
};

/** The body of a notification: switch over `event`. Further fields and events may be added. */
export type Notification = { [Event in NotificationEvent]: Of<Event> }[NotificationEvent];
