import type { Address } from "../chain/address.ts";
import { idAt } from "../id.ts";
import type { NotifiedType } from "../money/transaction.ts";
import {
  eventOf,
  type NotificationEvent,
  notificationBody,
  notificationEvents,
  testEvent,
  testNotificationBody,
} from "./notification.ts";

/** The transaction that a sample claims to be about. */
export type SampleSubject = {
  wallet: { id: string; address: string; chainName: string; reference: string | null };
  asset: { code: string; decimals: number };
  /** The address of the other side. */
  other: Address;
  txHash: string;
  blockNumber: bigint;
};

const typeOf: Partial<Record<NotificationEvent, NotifiedType>> = {
  "transaction.withdrawal": "withdrawal",
  "transaction.payment": "payment",
};

/**
 * The body of an event as it would be sent, about a transaction that never was. Use it for
 * development and documents only. Nothing in it says that it is a sample, so a receiver takes it
 * for money.
 */
export function sampleNotificationBody(
  event: NotificationEvent,
  sample: { id: string; happenedAt: Date; subject: SampleSubject },
): string {
  const { id, happenedAt, subject } = sample;
  if (event === testEvent) return testNotificationBody(id, happenedAt);
  const { state } = notificationEvents[event];
  const type = typeOf[event] ?? "deposit";
  const { wallet, asset, other, txHash, blockNumber } = subject;
  const isOutgoing = type === "withdrawal";
  return notificationBody({
    id,
    state,
    happenedAt,
    subject: {
      transactionId: idAt(happenedAt.getTime()),
      type,
      txHash,
      amountAtomic: amountOf(asset.decimals),
      assetCode: asset.code,
      assetDecimals: asset.decimals,
      chainName: wallet.chainName,
      fromAddress: isOutgoing ? wallet.address : other,
      toAddress: isOutgoing ? other : wallet.address,
      memo: null,
      virtualAddress: null,
      walletId: wallet.id,
      reference: wallet.reference,
      blockNumber,
      proof: "root",
      confirmedAlone: false,
    },
    ...(event === eventOf("reversed", type)
      ? { reversesNotificationId: idAt(happenedAt.getTime()) }
      : {}),
  });
}

/** 12.5 units, or 12 where the asset has no decimals. */
function amountOf(decimals: number): bigint {
  return decimals === 0 ? 12n : 125n * 10n ** BigInt(decimals - 1);
}
