import type { statuses } from "./statuses.ts";

type NotificationEvent = keyof typeof statuses;

/** An event of a wallet's balance, which has crossed a threshold. */
export type BalanceEvent = Extract<NotificationEvent, `wallet.balance_${string}`>;

/** The event of a token that is not configured. Only webhooks whose filter names it get it. */
export type TokenEvent = Extract<NotificationEvent, `token.${string}`>;

/** An event of a transaction. `webhook.test` is not one: it only tests the webhook. */
export type TransactionEvent = Exclude<
  NotificationEvent,
  BalanceEvent | TokenEvent | "webhook.test"
>;

/** The data of an event of a balance. All amounts are exact decimals in units of the asset. */
export type BalanceData = {
  walletId: string;
  /** The address of the wallet with its EIP-55 checksum. */
  address: string;
  /** The reference that you gave the wallet, or null. */
  reference: string | null;
  blockchain: string;
  asset: string;
  /** The confirmed balance when it crossed the threshold. */
  balance: string;
  /** The threshold. The balance is below it if it is less than this. */
  below: string;
  /** The balance is restored if it is at least this. */
  restoredFrom: string;
  /** Counts the notifications of this threshold, from 1. */
  crossing: number;
};

/** The data of the event of a token that is not configured. Credit nothing for it. */
export type TokenData = {
  /** The id of the sighting in GET /sightings. */
  sightingId: string;
  walletId: string;
  /** The label and the reference that you gave the wallet, or null. */
  label: string | null;
  reference: string | null;
  blockchain: string;
  /** The address of the token's contract with its EIP-55 checksum. */
  contract: string;
  /**
   * The symbol that the contract reports. Any contract can report `USDC`. Null: it reports none.
   */
  unverifiedSymbol: string | null;
  /** An integer in the contract's own unit. Its decimals are not verified. */
  rawAmount: string;
  txHash: string;
  fromAddress: string;
  toAddress: string;
  /** The block of the transfer. If a reorg removes this block, there is no notification of that. */
  blockNumber: number;
  blockHash: string;
  logIndex: number;
  /** The proof that the contract logged it, with the same words as a transaction's. */
  proof: string;
  /** An address that the wallet had paid. The sender only looks similar. */
  lookalikeOf?: string;
};

export type NotificationData = {
  /**
   * The id of the transaction in GET /transactions. All notifications of one transaction have the
   * same id here.
   */
  transactionId: string;
  txHash: string;
  /** An exact decimal in units of the asset. Keep it as text, or read it with a decimal library. */
  amount: string;
  asset: string;
  blockchain: string;
  /** The address with its EIP-55 checksum; the zero address for a mint. */
  fromAddress: string;
  type: "deposit" | "withdrawal" | "payment";
  toAddress: string;
  walletId: string;
  /** The reference that you gave the wallet, or null. */
  reference: string | null;
  blockNumber: number;
  /** True if only one endpoint confirmed it. Releases before 0.3.0 leave it out. */
  confirmedAlone?: boolean;
  /**
   * The proof that it happened: `root`, `bloom`, `agreed` by two hosts, or `answered` by one. Later
   * releases may add words.
   */
  proof?: string;
  /** 32 bytes that the payer chose (TIP-20 on Tempo). Left out if the payment has none. */
  memo?: string;
  /**
   * The virtual address that was paid (TIP-1022 on Tempo). Its master wallet has the money. Left
   * out if the payment did not use one.
   */
  virtualAddress?: string;
  /**
   * A warning of address poisoning: an address that the wallet had paid before. The sender looks
   * similar, and is another. Left out otherwise.
   */
  lookalikeOf?: string;
};

/** Further fields in the data of one event. */
type More<Event> = Event extends "transaction.reversed"
  ? { /** The notification that this one undoes. */ reversesNotificationId?: string }
  : unknown;

type Of<Event extends NotificationEvent> = {
  /**
   * The id of the notification. It is the same on every attempt, and when Chainbell sends it again.
   * Remember it.
   */
  id: string;
  event: Event;
  /** The time of the event, as ISO 8601 in UTC. */
  timestamp: string;
  /**
   * Its place among the notifications of the business and blockchain: from 1, without a gap. A
   * test, an event of a balance and an event of an unlisted token have none. Releases before 0.3.0
   * leave it out.
   */
  sequence?: number;
  data: DataOf<Event> & { status: (typeof statuses)[Event] } & More<Event>;
};

type DataOf<Event> = Event extends BalanceEvent
  ? BalanceData
  : Event extends TokenEvent
    ? TokenData
    : NotificationData;

/**
 * The body of a notification. Switch over `event`, with a default: later releases may add fields
 * and events.
 */
export type Notification = { [Event in NotificationEvent]: Of<Event> }[NotificationEvent];
