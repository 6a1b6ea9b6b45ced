import { zeroAddress } from "../chain/address.ts";
import { toChecksum } from "../chain/checksum.ts";
import { toDecimal } from "../money/amount.ts";
import type { ListedTransaction } from "../money/recorded-transaction.ts";
import type { NotifiedType } from "../money/transaction.ts";

/**
 * Every event that a business may be notified of. The states, the lists and the API's documentation follow from this
 * table; the database's CHECK is held against it by a test. A type of transaction that is notified and has no entry
 * does not compile, nor does a state whose event is named otherwise (see `eventOf`).
 *
 * `state`: what became of the transaction; with its round it makes a notification unique (docs/invariants.md#i3).
 * `enteredBy`: what brings a transaction into the state, a block that is written or a reorg that is settled; the ledger's
 * function for it does not compile while it leaves the state out. `isOnRequest`: only a business that asked for it is notified.
 */
export const notificationEvents = {
  "transaction.deposit": {
    state: "confirmed",
    enteredBy: "block",
    isOnRequest: false,
    description: "an incoming transfer to a deposit wallet is confirmed",
  },
  "transaction.withdrawal": {
    state: "confirmed",
    enteredBy: "block",
    isOnRequest: false,
    description: "an outgoing transfer is confirmed",
  },
  "transaction.payment": {
    state: "confirmed",
    enteredBy: "block",
    isOnRequest: false,
    description: "an incoming transfer to a payment wallet is confirmed",
  },
  "transaction.reversed": {
    state: "reversed",
    enteredBy: "reorg",
    isOnRequest: false,
    description: "a confirmed transaction has left the chain",
  },
  "transaction.pending": {
    state: "pending",
    enteredBy: "block",
    isOnRequest: true,
    description: "a transaction is on the chain, not yet confirmed",
  },
  "transaction.dropped": {
    state: "dropped",
    enteredBy: "reorg",
    isOnRequest: true,
    description: "a pending transaction has left the chain",
  },
  "webhook.test": {
    state: "test",
    enteredBy: null,
    isOnRequest: false,
    description: "the business tried its webhook",
  },
} as const satisfies Record<`transaction.${NotifiedType}`, EventTraits> &
  Record<string, EventTraits>;

type EventTraits = {
  state: string;
  enteredBy: "block" | "reorg" | null;
  isOnRequest: boolean;
  description: string;
};

export type NotificationEvent = keyof typeof notificationEvents;

/** What became of a transaction. */
export type NotificationState = Exclude<
  (typeof notificationEvents)[NotificationEvent]["state"],
  typeof testState
>;

/** The states that are entered by it. */
export type StateEnteredBy<Cause> = Extract<
  (typeof notificationEvents)[NotificationEvent],
  { enteredBy: Cause }
>["state"];

/** Of a test, in the place of a transaction's state. */
export const testEvent = "webhook.test" satisfies NotificationEvent;
export const testState = notificationEvents[testEvent].state;

/** What a notification is about. Addresses lower-case; amount in atomic units. */
export type NotificationSubject = Omit<
  ListedTransaction,
  "id" | "type" | "status" | "isOrphaned" | "blockTime" | "positionNumber"
> & { transactionId: string; type: NotifiedType; reference: string | null };

/** A confirmation is named by what is confirmed, every other event by the state. */
export function eventOf(state: NotificationState, type: NotifiedType): NotificationEvent {
  return `transaction.${state === "confirmed" ? type : state}`;
}

/** What a body says. `src/schema/notification.ts` describes each field, and does not compile where one is missing. */
export type NotificationContent = {
  id: string;
  event: NotificationEvent;
  timestamp: string;
  data: {
    transactionId: string;
    txHash: string;
    amount: string;
    asset: string;
    blockchain: string;
    fromAddress: string;
    status: (typeof notificationEvents)[NotificationEvent]["state"];
    type: NotifiedType;
    toAddress: string;
    walletId: string;
    reference: string | null;
    blockNumber: number;
    /** Only where the payment has one, as below. */
    memo?: string;
    virtualAddress?: string;
    reversesNotificationId?: string;
  };
};

/**
 * The body of a notification (docs/contract.md#body) as the text that is stored, signed and sent, always the same.
 * `happenedAt` is when the event happened; `reversesNotificationId` only for a reversal.
 */
export function notificationBody(notification: {
  id: string;
  state: NotificationState;
  happenedAt: Date;
  subject: NotificationSubject;
  reversesNotificationId?: string;
}): string {
  const { id, state, happenedAt, subject, reversesNotificationId } = notification;
  return JSON.stringify({
    id,
    event: eventOf(state, subject.type),
    timestamp: happenedAt.toISOString(),
    data: {
      transactionId: subject.transactionId,
      txHash: subject.txHash,
      amount: toDecimal(subject.amountAtomic, subject.assetDecimals),
      asset: subject.assetCode,
      blockchain: subject.chainName,
      fromAddress: toChecksum(subject.fromAddress),
      status: state,
      type: subject.type,
      toAddress: toChecksum(subject.toAddress),
      walletId: subject.walletId,
      reference: subject.reference,
      blockNumber: Number(subject.blockNumber),
      ...(subject.memo === null ? {} : { memo: subject.memo }),
      ...(subject.virtualAddress === null
        ? {}
        : { virtualAddress: toChecksum(subject.virtualAddress) }),
      ...(reversesNotificationId === undefined ? {} : { reversesNotificationId }),
    },
  } satisfies NotificationContent);
}

const nilId = "00000000-0000-0000-0000-000000000000";

/** The body of a `webhook.test`: every field of a real one, and nothing that could be taken for money. */
export function testNotificationBody(id: string, happenedAt: Date): string {
  return JSON.stringify({
    id,
    event: testEvent,
    timestamp: happenedAt.toISOString(),
    data: {
      transactionId: nilId,
      txHash: `0x${"0".repeat(64)}`,
      amount: "0",
      asset: "TEST",
      blockchain: "test",
      fromAddress: zeroAddress,
      status: testState,
      type: "deposit",
      toAddress: zeroAddress,
      walletId: nilId,
      reference: null,
      blockNumber: 0,
    },
  } satisfies NotificationContent);
}
