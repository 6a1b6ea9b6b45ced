import { zeroAddress } from "../chain/address.ts";
import { toChecksum } from "../chain/checksum.ts";
import { toDecimal } from "../money/amount.ts";
import type { MovementProof } from "../money/movement.ts";
import type { ListedTransaction } from "../money/recorded-transaction.ts";
import type { NotifiedType } from "../money/transaction.ts";

/**
 * Every event that a business may be notified of. The states, the lists and the API's documentation
 * follow from this table. A test holds the database's CHECK against it. A type of transaction that
 * is notified and has no entry does not compile. Nor does a state whose event has another name (see
 * `eventOf`).
 *
 * `state`: the state that the transaction has entered. The state and its round make a notification
 * unique (docs/invariants.md#i3). `enteredBy`: the cause that brings a transaction into the state,
 * a block that is written or a reorg that is settled. The ledger's function for that cause does not
 * compile while it leaves the state out. `isOnRequest`: only a business that asked for the event is
 * notified.
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

/** The states of a transaction that are notified. */
export type NotificationState = Exclude<
  (typeof notificationEvents)[NotificationEvent]["state"],
  typeof testState
>;

/** The states that are entered by a cause. */
export type StateEnteredBy<Cause> = Extract<
  (typeof notificationEvents)[NotificationEvent],
  { enteredBy: Cause }
>["state"];

/** The event and the state of a test, in the place of a transaction's. */
export const testEvent = "webhook.test" satisfies NotificationEvent;
export const testState = notificationEvents[testEvent].state;

/**
 * The transaction that a notification is about. Addresses are lower-case, the amount is in atomic
 * units.
 */
export type NotificationSubject = Omit<
  ListedTransaction,
  "id" | "type" | "status" | "isOrphaned" | "blockTime" | "positionNumber"
> & {
  transactionId: string;
  type: NotifiedType;
  reference: string | null;
  proof: MovementProof | null;
  confirmedAlone: boolean;
};

/**
 * The event of a state. A confirmation is named by the transaction's type, every other event by the
 * state.
 */
export function eventOf(state: NotificationState, type: NotifiedType): NotificationEvent {
  return `transaction.${state === "confirmed" ? type : state}`;
}

/**
 * The content of a body. `src/schema/notification.ts` describes each field, and does not compile if
 * one is missing.
 */
export type NotificationContent = {
  id: string;
  event: NotificationEvent;
  timestamp: string;
  /** Left out of a test, of a sample, and where a release before 0.3.0 wrote it. */
  sequence?: number;
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
    confirmedAlone: boolean;
    /** Left out only of a transaction that a release before 0.2.0 recorded. */
    proof?: MovementProof;
    /** Present only if the payment has one. The same holds for the next field. */
    memo?: string;
    virtualAddress?: string;
    reversesNotificationId?: string;
  };
};

/**
 * The body of a notification (docs/contract.md#body), as the text that is stored, signed and sent.
 * The text is always the same. `happenedAt` is the time of the event. `sequence` is its
 * place in the stream of its business and chain. `reversesNotificationId` is for a reversal only.
 */
export function notificationBody(notification: {
  id: string;
  state: NotificationState;
  happenedAt: Date;
  sequence?: number;
  subject: NotificationSubject;
  reversesNotificationId?: string;
}): string {
  const { id, state, happenedAt, sequence, subject, reversesNotificationId } = notification;
  return JSON.stringify({
    id,
    event: eventOf(state, subject.type),
    timestamp: happenedAt.toISOString(),
    ...(sequence === undefined ? {} : { sequence }),
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
      confirmedAlone: subject.confirmedAlone,
      ...(subject.proof === null ? {} : { proof: subject.proof }),
      ...(subject.memo === null ? {} : { memo: subject.memo }),
      ...(subject.virtualAddress === null
        ? {}
        : { virtualAddress: toChecksum(subject.virtualAddress) }),
      ...(reversesNotificationId === undefined ? {} : { reversesNotificationId }),
    },
  } satisfies NotificationContent);
}

const nilId = "00000000-0000-0000-0000-000000000000";

/**
 * The body of a `webhook.test`. It has every field of a real body, and nothing that could be taken
 * for money.
 */
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
      confirmedAlone: false,
      proof: "root",
    },
  } satisfies NotificationContent);
}
