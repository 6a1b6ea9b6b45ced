import { toChecksum } from "../chain/checksum.ts";
import { keysOf } from "../keys-of.ts";
import { toDecimal } from "../money/amount.ts";
import type { MovementProof } from "../money/movement.ts";
import type { ListedTransaction } from "../money/recorded-transaction.ts";
import type { CrossedState, ThresholdLimits } from "../money/threshold.ts";
import type { NotifiedType } from "../money/transaction.ts";

/**
 * All events that a business may be notified of. The states, the lists and the API's documentation
 * are made from this table. A test compares the database's CHECK with it. A notified type of
 * transaction without an entry does not compile. Nor does a state whose event has another name (see
 * `eventOf`).
 *
 * - `state`: the state that the transaction has entered. The state and its round make a
 *   notification unique (docs/invariants.md#i3).
 * - `enteredBy`: what brings a transaction into the state: a written block, or a settled reorg. The
 *   ledger's function for that cause must name the state, or it does not compile. `balance`: a
 *   balance has crossed a threshold. `sighting`: a transfer of a token that is not configured.
 *   Neither of these two is about a transaction.
 * - `askedBy`: who must ask for the event: the business, or a webhook whose filter names it. Null:
 *   nobody, everybody gets it.
 */
export const notificationEvents = {
  "transaction.deposit": {
    state: "confirmed",
    enteredBy: "block",
    askedBy: null,
    description: "an incoming transfer to a deposit wallet is confirmed",
  },
  "transaction.withdrawal": {
    state: "confirmed",
    enteredBy: "block",
    askedBy: null,
    description: "an outgoing transfer is confirmed",
  },
  "transaction.payment": {
    state: "confirmed",
    enteredBy: "block",
    askedBy: null,
    description: "an incoming transfer to a payment wallet is confirmed",
  },
  "transaction.reversed": {
    state: "reversed",
    enteredBy: "reorg",
    askedBy: null,
    description: "a confirmed transaction has left the chain",
  },
  "transaction.pending": {
    state: "pending",
    enteredBy: "block",
    askedBy: "business",
    description: "a transaction is on the chain, not yet confirmed",
  },
  "transaction.dropped": {
    state: "dropped",
    enteredBy: "reorg",
    askedBy: "business",
    description: "a pending transaction has left the chain",
  },
  "wallet.balance_below": {
    state: "below",
    enteredBy: "balance",
    askedBy: null,
    description: "a wallet's confirmed balance is below a threshold",
  },
  "wallet.balance_restored": {
    state: "restored",
    enteredBy: "balance",
    askedBy: null,
    description: "a wallet's confirmed balance was below a threshold and is restored",
  },
  "token.unlisted": {
    state: "sighted",
    enteredBy: "sighting",
    askedBy: "webhook",
    description: "a wallet got a token that is not configured, in a confirmed block",
  },
  "webhook.test": {
    state: "test",
    enteredBy: null,
    askedBy: null,
    description: "the business tried its webhook",
  },
} as const satisfies Record<`transaction.${NotifiedType}`, EventTraits> &
  Record<`wallet.balance_${CrossedState}`, EventTraits> &
  Record<string, EventTraits>;

type EventTraits = {
  state: string;
  enteredBy: "block" | "reorg" | "balance" | "sighting" | null;
  askedBy: "business" | "webhook" | null;
  description: string;
};

export type NotificationEvent = keyof typeof notificationEvents;

/** The states that a cause brings transactions into. */
export type StateEnteredBy<Cause> = Extract<
  (typeof notificationEvents)[NotificationEvent],
  { enteredBy: Cause }
>["state"];

/** The states of a transaction that are notified. */
export type NotificationState = StateEnteredBy<"block" | "reorg">;

/** The events about a balance. */
export type BalanceEvent = `wallet.balance_${CrossedState}`;

const askedBy = (who: "business" | "webhook") =>
  keysOf(notificationEvents)
    .filter((event) => notificationEvents[event].askedBy === who)
    .join(" and ");

/** Words for the events of a webhook that names none. Some events must be asked for. */
export const unaskedWords = `every event but ${askedBy("webhook")} (${askedBy("business")} only if the business asked)`;

/** True if the event is about a balance. */
export function isBalanceEvent(event: NotificationEvent): event is BalanceEvent {
  return notificationEvents[event].enteredBy === "balance";
}

/** The event about a sighting, and its state. */
export const sightingEvent = "token.unlisted" satisfies NotificationEvent;
export const sightedState = notificationEvents[sightingEvent].state;

/** True if the event is about a transaction, or is a test. */
export function isTransactionEvent(
  event: NotificationEvent,
): event is NotificationContent["event"] {
  return event !== sightingEvent && !isBalanceEvent(event);
}

/** The event and the state of a test. */
export const testEvent = "webhook.test" satisfies NotificationEvent;
export const testState = notificationEvents[testEvent].state;

/**
 * The transaction of a notification. Addresses are in lower case, and the amount is in atomic
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
 * The event of a state. For a confirmation it has the name of the transaction's type, and for other
 * states the name of the state. A test is `webhook.test`.
 */
export function eventOf(
  state: NotificationState | typeof testState,
  type: NotifiedType,
): NotificationContent["event"] {
  if (state === testState) return testEvent;
  return `transaction.${state === "confirmed" ? type : state}`;
}

/** The event of a state of a balance. */
export function balanceEventOf(state: CrossedState): BalanceEvent {
  return `wallet.balance_${state}`;
}

/**
 * The balance of a notification, and the threshold that it crossed. The address is in lower case.
 */
export type BalanceSubject = ThresholdLimits & {
  walletId: string;
  address: string;
  reference: string | null;
  chainName: string;
  assetCode: string;
  assetDecimals: number;
  confirmedAtomic: bigint;
  /** The number of the crossing of this threshold, from 1. */
  crossing: number;
};

/**
 * The content of a body about a transaction, or of a test. `src/schema/notification.ts` describes
 * each field, and does not compile if one is missing.
 */
export type NotificationContent = {
  id: string;
  event: Exclude<NotificationEvent, BalanceEvent | typeof sightingEvent>;
  timestamp: string;
  /** Missing in a test, in a sample, and in bodies from before release 0.3.0. */
  sequence?: number | undefined;
  data: {
    transactionId: string;
    txHash: string;
    amount: string;
    asset: string;
    blockchain: string;
    fromAddress: string;
    status: NotificationState | typeof testState;
    type: NotifiedType;
    toAddress: string;
    walletId: string;
    reference: string | null;
    blockNumber: number;
    confirmedAlone: boolean;
    /** Missing only for a transaction that a release before 0.2.0 recorded. */
    proof?: MovementProof | undefined;
    /** Present only if the payment has one. The same is true of the next two fields. */
    memo?: string | undefined;
    virtualAddress?: string | undefined;
    lookalikeOf?: string | undefined;
    reversesNotificationId?: string | undefined;
  };
};

/** The content of a body about a balance. It is described in the same file. */
export type BalanceContent = {
  id: string;
  event: BalanceEvent;
  timestamp: string;
  data: {
    walletId: string;
    address: string;
    reference: string | null;
    blockchain: string;
    asset: string;
    status: CrossedState;
    balance: string;
    below: string;
    restoredFrom: string;
    crossing: number;
  };
};

/**
 * The body of a notification (docs/contract.md#body), as the text that is stored, signed and sent.
 * The same input always gives the same text. `happenedAt`: the time of the event. `sequence`: its
 * place in the stream of its business and chain. `reversesNotificationId`: for a reversal only.
 */
export function notificationBody(notification: {
  id: string;
  state: NotificationState | typeof testState;
  happenedAt: Date;
  sequence?: number | undefined;
  subject: NotificationSubject;
  reversesNotificationId?: string | undefined;
}): string {
  const { id, state, happenedAt, sequence, subject, reversesNotificationId } = notification;
  return JSON.stringify({
    id,
    event: eventOf(state, subject.type),
    timestamp: happenedAt.toISOString(),
    sequence,
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
      // JSON leaves out a field that is undefined.
      proof: subject.proof ?? undefined,
      memo: subject.memo ?? undefined,
      virtualAddress: checksumIf(subject.virtualAddress),
      lookalikeOf: checksumIf(subject.lookalikeOf),
      reversesNotificationId,
    },
  } satisfies NotificationContent);
}

const checksumIf = (address: string | null) => (address === null ? undefined : toChecksum(address));

/**
 * The body of a notification about a balance. The same input always gives the same text.
 * `happenedAt`: when the balance was compared with the threshold.
 */
export function balanceNotificationBody(notification: {
  id: string;
  state: CrossedState;
  happenedAt: Date;
  subject: BalanceSubject;
}): string {
  const { id, state, happenedAt, subject } = notification;
  const decimalOf = (atomic: bigint) => toDecimal(atomic, subject.assetDecimals);
  return JSON.stringify({
    id,
    event: balanceEventOf(state),
    timestamp: happenedAt.toISOString(),
    data: {
      walletId: subject.walletId,
      address: toChecksum(subject.address),
      reference: subject.reference,
      blockchain: subject.chainName,
      asset: subject.assetCode,
      status: state,
      balance: decimalOf(subject.confirmedAtomic),
      below: decimalOf(subject.belowAtomic),
      restoredFrom: decimalOf(subject.restoredFromAtomic),
      crossing: subject.crossing,
    },
  } satisfies BalanceContent);
}
