import type { Address } from "../chain/address.ts";
import { idAt } from "../id.ts";
import type { NotifiedType } from "../money/transaction.ts";
import {
  type BalanceEvent,
  balanceNotificationBody,
  eventOf,
  isBalanceEvent,
  type NotificationEvent,
  notificationBody,
  notificationEvents,
  sightingEvent,
  testEvent,
  testNotificationBody,
} from "./notification.ts";
import { sightingNotificationBody } from "./sighting-notification.ts";

/** The transaction, the wallet's balance or the sighting that a sample claims to be about. */
export type SampleSubject = {
  wallet: { id: string; address: string; chainName: string; reference: string | null };
  asset: { code: string; decimals: number };
  /** The address of the other side. */
  other: Address;
  /** The contract of a token that is not configured. */
  contract: Address;
  txHash: string;
  blockNumber: bigint;
  blockHash: string;
};

const typeOf: Partial<Record<NotificationEvent, NotifiedType>> = {
  "transaction.withdrawal": "withdrawal",
  "transaction.payment": "payment",
};

/**
 * The body of an event as it would be sent, about something that never was. Use it for
 * development and documents only. Nothing in it says that it is a sample, so a receiver takes it
 * for money.
 */
export function sampleNotificationBody(
  event: NotificationEvent,
  sample: { id: string; happenedAt: Date; subject: SampleSubject },
): string {
  const { id, happenedAt, subject } = sample;
  if (event === testEvent) return testNotificationBody(id, happenedAt);
  if (isBalanceEvent(event)) return sampleOfBalance(event, sample);
  if (event === sightingEvent) return sampleOfSighting(sample);
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
      lookalikeOf: null,
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

/** A threshold of 12.5 units, or 12, from half of which the balance goes to twice as much. */
function sampleOfBalance(
  event: BalanceEvent,
  { id, happenedAt, subject }: { id: string; happenedAt: Date; subject: SampleSubject },
): string {
  const { wallet, asset } = subject;
  const { state } = notificationEvents[event];
  const belowAtomic = amountOf(asset.decimals);
  const restoredFromAtomic = 2n * belowAtomic;
  return balanceNotificationBody({
    id,
    state,
    happenedAt,
    subject: {
      walletId: wallet.id,
      address: wallet.address,
      reference: wallet.reference,
      chainName: wallet.chainName,
      assetCode: asset.code,
      assetDecimals: asset.decimals,
      confirmedAtomic: state === "below" ? belowAtomic / 2n : restoredFromAtomic,
      belowAtomic,
      restoredFromAtomic,
      crossing: state === "below" ? 1 : 2,
    },
  });
}

/** A token that says `USDT` of itself, as every scam does. */
function sampleOfSighting({
  id,
  happenedAt,
  subject,
}: {
  id: string;
  happenedAt: Date;
  subject: SampleSubject;
}): string {
  const { wallet, other, contract, txHash, blockNumber, blockHash } = subject;
  return sightingNotificationBody({
    id,
    happenedAt,
    subject: {
      sightingId: idAt(happenedAt.getTime()),
      chainName: wallet.chainName,
      walletId: wallet.id,
      label: null,
      reference: wallet.reference,
      contract,
      symbol: "USDT",
      amountAtomic: 12_500_000n,
      txHash,
      fromAddress: other,
      toAddress: wallet.address,
      lookalikeOf: null,
      blockNumber,
      blockHash,
      logIndex: 7,
      proof: "root",
    },
  });
}

/** 12.5 units, or 12 where the asset has no decimals. */
function amountOf(decimals: number): bigint {
  return decimals === 0 ? 12n : 125n * 10n ** BigInt(decimals - 1);
}
