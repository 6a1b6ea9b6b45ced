import { zeroAddress } from "../chain/address.ts";
import { toChecksum } from "../chain/checksum.ts";
import { toDecimal } from "../money/amount.ts";
import type { TransactionType } from "../money/transaction.ts";

/** What happened to a transaction. With its round it makes a notification unique (docs/invariants.md#i3). */
export type NotificationState = "confirmed" | "reversed" | "pending" | "dropped";

export type NotificationEvent =
  | "transaction.deposit"
  | "transaction.withdrawal"
  | "transaction.payment"
  | "transaction.reversed"
  | "transaction.pending"
  | "transaction.dropped"
  | "webhook.test";

/** What a notification tells of. Addresses lower-case; amount in atomic units. */
export type NotificationSubject = {
  transactionId: string;
  type: TransactionType;
  txHash: string;
  amountAtomic: bigint;
  assetCode: string;
  assetDecimals: number;
  chainName: string;
  fromAddress: string;
  toAddress: string;
  walletId: string;
  reference: string | null;
  blockNumber: bigint;
};

export function eventOf(state: NotificationState, type: TransactionType): NotificationEvent {
  return state === "confirmed"
    ? (`transaction.${type}` as NotificationEvent)
    : `transaction.${state}`;
}

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
      ...(reversesNotificationId === undefined ? {} : { reversesNotificationId }),
    },
  });
}

const nilId = "00000000-0000-0000-0000-000000000000";

/** The body of a `webhook.test`: every field of a real one, and nothing that could be taken for money. */
export function testNotificationBody(id: string, happenedAt: Date): string {
  return JSON.stringify({
    id,
    event: "webhook.test" satisfies NotificationEvent,
    timestamp: happenedAt.toISOString(),
    data: {
      transactionId: nilId,
      txHash: `0x${"0".repeat(64)}`,
      amount: "0",
      asset: "TEST",
      blockchain: "test",
      fromAddress: zeroAddress,
      status: "test",
      type: "deposit",
      toAddress: zeroAddress,
      walletId: nilId,
      reference: null,
      blockNumber: 0,
    },
  });
}
