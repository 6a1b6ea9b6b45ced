import { z } from "zod";
import {
  type BalanceContent,
  isBalanceEvent,
  isTransactionEvent,
  type NotificationContent,
  type NotificationEvent,
  notificationEvents,
  testEvent,
} from "../domain/delivery/notification.ts";
import type { SightingContent } from "../domain/delivery/sighting-notification.ts";
import { movementProofDescription, movementProofs } from "../domain/money/movement.ts";
import { notifiedTypes } from "../domain/money/transaction.ts";
import { addressText, count, decimalText, hashText, idText, timeText } from "./answers.ts";
import { sightingParts } from "./sighting.ts";
import { lookalikeText } from "./transaction.ts";

type Data = NotificationContent["data"];

/** The fields of `data` that every event has, in addition to its status. */
const fields = {
  transactionId: idText.meta({
    description: "The id of the transaction, for `GET /transactions/:id`.",
  }),
  txHash: hashText.meta({ description: "The hash of the transaction on the chain." }),
  amount: decimalText.meta({
    description:
      "The amount in units of the asset, exact. Keep it as text, or read it with a decimal library.",
    examples: ["12.5"],
  }),
  asset: z.string().meta({ description: "The code of the asset.", examples: ["USDC"] }),
  blockchain: z
    .string()
    .meta({ description: "The configured name of the chain.", examples: ["ethereum"] }),
  fromAddress: addressText.meta({
    description: "The payer, with its EIP-55 checksum; the zero address for a mint.",
  }),
  type: z
    .enum(notifiedTypes)
    .meta({ description: "The kind of movement, seen from the business." }),
  toAddress: addressText.meta({
    description: "The address that was paid, with its EIP-55 checksum.",
  }),
  walletId: idText.meta({ description: "The id of the wallet, as in `GET /wallets`." }),
  reference: z
    .string()
    .nullable()
    .meta({ description: "The wallet's reference, or null.", examples: ["customer-17"] }),
  blockNumber: count.meta({
    description: "The number of the block that the transaction is in, or was in.",
    examples: [21_000_000],
  }),
  confirmedAlone: z.boolean().meta({
    description:
      "True if one endpoint alone confirmed it. The others had been silent for too long, or no other can say which blocks are final. True also if an operator settled it.",
  }),
  proof: z
    .enum(movementProofs)
    .optional()
    .meta({
      description: `The proof that it happened; left out where an old release recorded it without. ${movementProofDescription}.`,
    }),
  memo: hashText.optional().meta({
    description: "32 bytes that the payer chose (TIP-20 on Tempo); left out where there are none.",
  }),
  virtualAddress: addressText.optional().meta({
    description:
      "The virtual address that was paid, whose master wallet has the money (TIP-1022 on Tempo); left out where none was.",
  }),
  lookalikeOf: lookalikeText,
} satisfies {
  [Field in Exclude<keyof Data, "status" | "reversesNotificationId">]: z.ZodType<Data[Field]>;
};

/** The data of every event about a transaction, without its status. */
export const notificationData = z.object(fields);

type Balance = BalanceContent["data"];

const balanceFields = {
  walletId: fields.walletId,
  address: addressText.meta({
    description: "The address of the wallet, with its EIP-55 checksum.",
  }),
  reference: fields.reference,
  blockchain: fields.blockchain,
  asset: fields.asset,
  balance: decimalText.meta({
    description:
      "The confirmed balance when it crossed the threshold, in units of the asset, exact.",
    examples: ["6.25"],
  }),
  below: decimalText.meta({
    description: "The limit of the threshold. Every smaller balance is below it.",
    examples: ["12.5"],
  }),
  restoredFrom: decimalText.meta({
    description: "The least balance that counts as restored.",
    examples: ["25"],
  }),
  crossing: count.meta({
    description: "The number of this notification among those of its threshold, from 1.",
    examples: [1],
  }),
} satisfies { [Field in Exclude<keyof Balance, "status">]: z.ZodType<Balance[Field]> };

/** The data of every event about a balance, without its status. */
export const balanceData = z.object(balanceFields);

type Sighted = SightingContent["data"];

const sightingFields = {
  sightingId: idText.meta({ description: "The id of the sighting, as in `GET /sightings`." }),
  walletId: fields.walletId,
  label: z.string().nullable().meta({ description: "The wallet's label, or null." }),
  reference: fields.reference,
  blockchain: fields.blockchain,
  contract: sightingParts.contract,
  unverifiedSymbol: sightingParts.unverifiedSymbol,
  rawAmount: sightingParts.rawAmount,
  txHash: fields.txHash,
  fromAddress: addressText.meta({ description: "The sender, by the word of the contract." }),
  toAddress: addressText.meta({
    description: "The address of the wallet, with its EIP-55 checksum.",
  }),
  blockNumber: count.meta({
    description: "The number of the block that the transfer was in when it was reported.",
    examples: [21_000_000],
  }),
  blockHash: hashText.meta({
    description: "The hash of that block. A reorganisation that takes it away is not notified.",
  }),
  logIndex: count.meta({
    description: "The place of the transfer's log in the block.",
    examples: [7],
  }),
  proof: sightingParts.proof,
  lookalikeOf: lookalikeText,
} satisfies { [Field in Exclude<keyof Sighted, "status">]: z.ZodType<Sighted[Field]> };

/** The data of the event about a sighting, without its status. */
export const sightingData = z.object(sightingFields);

const reversed = {
  reversesNotificationId: idText.optional().meta({
    description: "The notification that this one undoes.",
  }),
};

/**
 * The part of the data that an event shares with all others about a transaction, a balance or a
 * sighting.
 */
function sharedData(event: NotificationEvent) {
  if (isBalanceEvent(event)) return balanceData;
  return isTransactionEvent(event) ? notificationData : sightingData;
}

/** The meaning of `data.status`. */
function statusMeaning(event: NotificationEvent): string {
  if (isBalanceEvent(event)) return "The state that the balance has reached.";
  if (isTransactionEvent(event)) return "The state that the transaction has reached.";
  return "The transfer was seen. It is no transaction, and in no balance.";
}

/** The part of the data that only this event has. */
export function ownData(event: NotificationEvent) {
  const status = z
    .literal(notificationEvents[event].state)
    .meta({ description: statusMeaning(event) });
  return z.object(event === "transaction.reversed" ? { status, ...reversed } : { status });
}

const sequenced = {
  sequence: count.optional().meta({
    description:
      "The place among the events of its business and blockchain: from 1, without a gap. Missing: a release before 0.3.0 wrote the notification.",
    examples: [1042],
  }),
};

/** The body of an event without its data. */
export function notificationEnvelope(event: NotificationEvent) {
  return z.object({
    id: idText.meta({
      description:
        "The id of the notification. It is the same on every attempt, also when it is sent again. Remember it, and ignore a known one.",
    }),
    event: z.literal(event),
    timestamp: timeText.meta({ description: "When the event happened." }),
    ...(hasSequence(event) ? sequenced : {}),
  });
}

/** True for events of transactions, which are numbered. */
function hasSequence(event: NotificationEvent): boolean {
  return event !== testEvent && isTransactionEvent(event);
}

/** The whole body of an event. */
export function notificationSchema(event: NotificationEvent) {
  const data = sharedData(event).extend(ownData(event).shape);
  return notificationEnvelope(event).extend({ data });
}
