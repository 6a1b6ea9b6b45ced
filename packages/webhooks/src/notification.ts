/** What happened to a transaction; `webhook.test` when the business tried its webhook. */
export type TransactionEvent =
  | "transaction.deposit"
  | "transaction.withdrawal"
  | "transaction.payment"
  | "transaction.pending"
  | "transaction.dropped"
  | "transaction.reversed";

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
};

type Of<Event extends string, Status extends string, More = unknown> = {
  /** The same on every attempt and redelivery: remember it. */
  id: string;
  event: Event;
  /** When the event happened, ISO 8601 UTC. */
  timestamp: string;
  data: NotificationData & { status: Status } & More;
};

/** The body of a notification, told apart by `event`. Further fields and events may be added. */
export type Notification =
  | Of<"transaction.deposit", "confirmed">
  | Of<"transaction.withdrawal", "confirmed">
  | Of<"transaction.payment", "confirmed">
  | Of<"transaction.pending", "pending">
  | Of<"transaction.dropped", "dropped">
  | Of<"transaction.reversed", "reversed", { reversesNotificationId?: string }>
  | Of<"webhook.test", "test">;
