import { type Address, zeroAddress } from "../chain/address.ts";
import { idAt, nilId } from "../id.ts";
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
} from "./notification.ts";
import { sightingNotificationBody } from "./sighting-notification.ts";

/** The subject that a sample claims to have: a transaction, a wallet's balance, or a sighting. */
type SampleSubject = {
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

type Sample = { id: string; happenedAt: Date; subject: SampleSubject };

/** The amounts and the symbol that a sample claims. `newId` makes the ids in it. */
type Claim = { amountAtomic: bigint; rawAmount: bigint; symbol: string; newId: () => string };

const typeOf: Partial<Record<NotificationEvent, NotifiedType>> = {
  "transaction.withdrawal": "withdrawal",
  "transaction.payment": "payment",
};

/**
 * The body of an event about something that never happened. Use it for development and documents
 * only. Nothing in it says that it is a sample, so a receiver takes it for money. An exception is
 * `webhook.test`, which is never money.
 */
export function sampleNotificationBody(event: NotificationEvent, sample: Sample): string {
  if (event === testEvent) return testBodyOf(event, sample.id, sample.happenedAt);
  return bodyOf(event, sample, {
    amountAtomic: amountOf(sample.subject.asset.decimals),
    rawAmount: 12_500_000n,
    // A scam token usually has such a symbol.
    symbol: "USDT",
    newId: () => idAt(sample.happenedAt.getTime()),
  });
}

/**
 * The body of a test of an event. It has every field of a real body, but nothing that could be
 * taken for money. It has the chain `test`, the asset `TEST`, amounts of 0, and ids of nothing.
 */
export function testBodyOf(event: NotificationEvent, id: string, happenedAt: Date): string {
  const zeroHash = `0x${"0".repeat(64)}`;
  const subject = {
    wallet: { id: nilId, address: zeroAddress, chainName: "test", reference: null },
    asset: { code: "TEST", decimals: 0 },
    other: zeroAddress,
    contract: zeroAddress,
    txHash: zeroHash,
    blockNumber: 0n,
    blockHash: zeroHash,
  };
  const nothing = { amountAtomic: 0n, rawAmount: 0n, symbol: "TEST", newId: () => nilId };
  return bodyOf(event, { id, happenedAt, subject }, nothing);
}

function bodyOf(event: NotificationEvent, sample: Sample, claim: Claim): string {
  const { id, happenedAt, subject } = sample;
  if (isBalanceEvent(event)) return sampleOfBalance(event, sample, claim);
  if (event === sightingEvent) return sampleOfSighting(sample, claim);
  const { state } = notificationEvents[event];
  const type = typeOf[event] ?? "deposit";
  const { wallet, asset, other, txHash, blockNumber } = subject;
  const isOutgoing = type === "withdrawal";
  return notificationBody({
    id,
    state,
    happenedAt,
    subject: {
      transactionId: claim.newId(),
      type,
      txHash,
      amountAtomic: claim.amountAtomic,
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
    ...(event === eventOf("reversed", type) ? { reversesNotificationId: claim.newId() } : {}),
  });
}

/** A balance that crosses a threshold of the amount, from half of it to twice as much. */
function sampleOfBalance(
  event: BalanceEvent,
  { id, happenedAt, subject }: Sample,
  { amountAtomic: belowAtomic }: Claim,
): string {
  const { wallet, asset } = subject;
  const { state } = notificationEvents[event];
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

function sampleOfSighting(
  { id, happenedAt, subject }: Sample,
  { rawAmount, symbol, newId }: Claim,
): string {
  const { wallet, other, contract, txHash, blockNumber, blockHash } = subject;
  return sightingNotificationBody({
    id,
    happenedAt,
    subject: {
      sightingId: newId(),
      chainName: wallet.chainName,
      walletId: wallet.id,
      label: null,
      reference: wallet.reference,
      contract,
      symbol,
      amountAtomic: rawAmount,
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

/** 12.5 units, or 12 if the asset has no decimals. */
function amountOf(decimals: number): bigint {
  return decimals === 0 ? 12n : 125n * 10n ** BigInt(decimals - 1);
}
