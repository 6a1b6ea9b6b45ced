import { z } from "zod";
import { toChecksum } from "../domain/chain/checksum.ts";
import type {
  TransactionDetail,
  TransactionNotification,
} from "../domain/delivery/transaction-detail.ts";
import { keysOf, meaningsIn } from "../domain/keys-of.ts";
import { toDecimal } from "../domain/money/amount.ts";
import { movementProofDescription, movementProofs } from "../domain/money/movement.ts";
import {
  confirmationsOf,
  type ListedTransaction,
  type RecordedTransaction,
  type RequiredConfirmations,
  type TransactionMoney,
  transactionSorts,
} from "../domain/money/recorded-transaction.ts";
import {
  notifiedTypes,
  transactionStatuses,
  transactionTypes,
} from "../domain/money/transaction.ts";
import {
  addressText,
  count,
  decimalText,
  deliveryStatusText,
  eventText,
  hashText,
  idText,
  timeText,
} from "./answers.ts";
import { given, idField, namedHashField, ofNamedField, periodFields, textField } from "./fields.ts";
import { included, includeFieldOf } from "./include.ts";

// A transaction as a business and an operator see it, and the filters of both their lists.

const types = keysOf(transactionTypes);
const statuses = keysOf(transactionStatuses);

/** The order of a list of transactions or of their notifications. */
export const sortField = z
  .enum(transactionSorts, `expected one of ${transactionSorts.join(", ")}`)
  .optional();

/** The filters of a list of transactions, without the fields of the page. */
export const transactionFilterFields = {
  type: z.enum(types, `expected one of ${types.join(", ")}`).optional(),
  asset: textField.optional(),
  blockchain: textField.optional(),
  status: z.enum(statuses, `expected one of ${statuses.join(", ")}`).optional(),
  wallet_id: idField.optional(),
  q: ofNamedField,
  tx_hash: namedHashField.optional(),
  sort: sortField.meta({
    description:
      "The order of the rows. `time`, the default: newest first. `amount`: largest first. It needs `asset`, and leaves out fees and corrections. A row whose amount a reorg changes may move to another page.",
  }),
  ...periodFields,
};

type FilterFields = z.output<z.ZodObject<typeof transactionFilterFields>>;

/** The filter of a request. Without a type, it selects the types that are notified. */
export function transactionFilterOf(query: Omit<FilterFields, "limit" | "cursor">) {
  const { type, asset, blockchain, status, wallet_id, q, tx_hash, from, to, sort } = query;
  return {
    types: type === undefined ? notifiedTypes : [type],
    ...given({
      assetCode: asset,
      chainName: blockchain,
      status,
      from,
      to,
      walletId: wallet_id,
      named: q,
      txHash: tx_hash,
      sort,
    }),
  };
}

/** The customer of a wallet, as its business names it now. */
export const customerFields = {
  reference: z
    .string()
    .nullable()
    .meta({ description: "The present reference of its wallet. Null: the wallet has none." }),
  label: z
    .string()
    .nullable()
    .meta({ description: "The present label of its wallet. Null: the wallet has none." }),
} as const;

/** The fields of money and wallet that notifications have too. */
export const moneyFields = {
  fee: z.object({ amount: decimalText, asset: z.string() }).nullable().meta({
    description:
      "The fee that the wallet paid for its own send. Transactions of one tx_hash show the same fee, so count it once. Null: the wallet paid none.",
  }),
  usd_value: decimalText.nullable().meta({
    description:
      "The worth of the amount in US dollars at its confirmation. Null: it is not confirmed yet, or no fresh price was known then.",
  }),
  label: customerFields.label,
} as const;

/** The optional fields of a transaction in a list. */
const ownFields = {
  block_number: count,
  block_hash: hashText,
  log_index: count.nullable(),
  trace_path: z.string().nullable(),
  proof: z
    .enum(movementProofs)
    .nullable()
    .meta({
      description: `The proof that it happened; of a correction, the proof of the balance. ${movementProofDescription}`,
    }),
  since_block: count.nullable().meta({
    description:
      "For an adjustment, the block at which the balance was last right. The corrected change lies above it. Null: it is no adjustment.",
  }),
  confirmed_alone: z.boolean().meta({
    description:
      "True: one endpoint alone confirmed it, or an operator settled it. The other endpoints had been silent for too long, or could not say which blocks are final.",
  }),
  required_confirmations: count.nullable().meta({
    description:
      "The confirmations that it needs; an estimate where the chain's setting is a length of time. Null: the chain's own `safe` or `finalized` block decides.",
  }),
  ...moneyFields,
  reference: customerFields.reference,
  seen_at: timeText.meta({ description: "When Chainbell recorded it." }),
  completed_at: timeText
    .nullable()
    .meta({ description: "When Chainbell confirmed it. Null: it is not confirmed." }),
} as const;

export type OwnField = keyof typeof ownFields;

/** The optional fields of a list. */
export const includeField = includeFieldOf(keysOf(ownFields), "fee,usd_value,reference");

/** Only for a transfer to a wallet. */
export const lookalikeText = addressText.optional().meta({
  description:
    "An address that the wallet paid before, which the sender imitates (address poisoning). Both begin and end with the same four characters. Never pay the sender's address in its place. Missing: the sender imitates none.",
});

/** A transaction as lists show it, with the optional fields that were asked for. */
export const listedTransaction = z
  .object({
    id: idText,
    type: z.enum(types).meta({ description: meaningsIn(transactionTypes) }),
    amount: decimalText,
    asset: z.string(),
    status: z.enum(statuses).meta({ description: meaningsIn(transactionStatuses) }),
    date: timeText.meta({ description: "The time of the block that the transfer is in." }),
    wallet_id: idText,
    blockchain: z.string(),
    tx_hash: hashText,
    from_address: addressText,
    to_address: addressText,
    memo: hashText.nullable().meta({
      description:
        "The memo of the transfer: 32 bytes that the payer chose (TIP-20 on Tempo). Null: there is none.",
    }),
    virtual_address: addressText.nullable().meta({
      description:
        "The virtual address that was paid (TIP-1022 on Tempo). The money is in its master wallet. Null: no virtual address was paid.",
    }),
    confirmations: count,
    ...z.object(ownFields).partial().shape,
    lookalike_of: lookalikeText,
  })
  .meta({ id: "Transaction" });

/** A transaction with everything that is known of it, for exports. */
export const recordedTransaction = z.object({ ...listedTransaction.shape, ...ownFields });

const shownNotification = z
  .object({
    id: idText,
    event: eventText,
    status: deliveryStatusText,
    attempts: count,
    created_at: timeText,
    delivered_at: timeText.nullable(),
    last_attempt_at: timeText.nullable(),
    next_attempt_at: timeText.nullable(),
    reverses_notification_id: idText.nullable().meta({
      description:
        "For a reversal, the id of the notification that it takes back. Null: it is no reversal.",
    }),
    deliveries: z.array(
      z
        .object({
          webhook_id: idText.nullable().meta({ description: "The webhook. Null: the first one." }),
          url: z.string().nullable().meta({
            description: "The URL that the webhook has now. Null: it is gone, or none is there.",
          }),
          status: deliveryStatusText,
          attempts: count.meta({ description: "The number of attempts so far, at this webhook." }),
          delivered_at: timeText.nullable(),
        })
        .meta({
          id: "TransactionDelivery",
          description: "The state of the notification at one webhook.",
        }),
    ),
  })
  .meta({ id: "TransactionNotification" });

/** One transaction with everything that is known of it, and its notifications. */
export const transactionDetail = recordedTransaction
  .extend({ notifications: z.array(shownNotification) })
  .meta({ id: "TransactionDetail" });

export function presentTransaction(
  transaction: ListedTransaction,
): z.output<typeof listedTransaction> {
  return {
    id: transaction.id,
    type: transaction.type,
    amount: toDecimal(transaction.amountAtomic, transaction.assetDecimals),
    asset: transaction.assetCode,
    status: transaction.status,
    date: transaction.blockTime.toISOString(),
    wallet_id: transaction.walletId,
    blockchain: transaction.chainName,
    tx_hash: transaction.txHash,
    from_address: toChecksum(transaction.fromAddress),
    to_address: toChecksum(transaction.toAddress),
    memo: transaction.memo,
    virtual_address:
      transaction.virtualAddress === null ? null : toChecksum(transaction.virtualAddress),
    confirmations: Number(confirmationsOf(transaction)),
    ...(transaction.lookalikeOf === null
      ? {}
      : { lookalike_of: toChecksum(transaction.lookalikeOf) }),
  };
}

export function presentRecorded(
  transaction: RecordedTransaction,
  requiredConfirmations: RequiredConfirmations,
): z.output<typeof recordedTransaction> {
  // Not a spread: Node 20 takes 2 µs for each field after one, and a page has 500 rows.
  return Object.assign(presentTransaction(transaction), {
    block_number: Number(transaction.blockNumber),
    block_hash: transaction.blockHash,
    log_index: transaction.logIndex,
    trace_path: transaction.tracePath,
    proof: transaction.proof,
    since_block: transaction.sinceNumber === null ? null : Number(transaction.sinceNumber),
    confirmed_alone: transaction.isConfirmedAlone,
    required_confirmations: requiredConfirmations(transaction.chainName),
    ...presentMoney(transaction),
    reference: transaction.reference,
    seen_at: transaction.seenAt.toISOString(),
    completed_at: transaction.completedAt?.toISOString() ?? null,
  });
}

export function presentMoney({ fee, usdValue, label }: TransactionMoney) {
  return {
    fee: fee && { amount: toDecimal(fee.amountAtomic, fee.assetDecimals), asset: fee.assetCode },
    usd_value: usdValue,
    label,
  };
}

/** A row of a list, with the optional fields that were asked for. */
export function presentIncluding(
  transaction: RecordedTransaction,
  include: readonly OwnField[],
  requiredConfirmations: RequiredConfirmations,
): z.output<typeof listedTransaction> {
  const recorded = presentRecorded(transaction, requiredConfirmations);
  return Object.assign(presentTransaction(transaction), included(recorded, include));
}

export function presentTransactionDetail(
  detail: TransactionDetail,
  requiredConfirmations: RequiredConfirmations,
): z.output<typeof transactionDetail> {
  return {
    ...presentRecorded(detail, requiredConfirmations),
    notifications: detail.notifications.map(presentNotification),
  };
}

function presentNotification({
  id,
  event,
  status,
  attempts,
  reversesNotificationId,
  deliveries,
  ...times
}: TransactionNotification): z.output<typeof shownNotification> {
  return {
    id,
    event,
    status,
    attempts,
    created_at: times.createdAt.toISOString(),
    delivered_at: times.deliveredAt?.toISOString() ?? null,
    last_attempt_at: times.lastAttemptAt?.toISOString() ?? null,
    next_attempt_at: times.nextAttemptAt?.toISOString() ?? null,
    reverses_notification_id: reversesNotificationId,
    deliveries: deliveries.map((one) => ({
      webhook_id: one.webhookId,
      url: one.url,
      status: one.status,
      attempts: one.attempts,
      delivered_at: one.deliveredAt?.toISOString() ?? null,
    })),
  };
}
