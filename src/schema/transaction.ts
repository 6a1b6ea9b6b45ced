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
  type RequiredConfirmations,
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
import { given, idField, periodFields, textField, txHashField } from "./fields.ts";

// A transaction as a business and an operator see it, and the filters of both their lists.

const types = keysOf(transactionTypes);
const statuses = keysOf(transactionStatuses);

/** The filters of a list of transactions, beside the page. */
export const transactionFilterFields = {
  type: z.enum(types, `expected one of ${types.join(", ")}`).optional(),
  asset: textField.optional(),
  blockchain: textField.optional(),
  status: z.enum(statuses, `expected one of ${statuses.join(", ")}`).optional(),
  wallet_id: idField.optional(),
  tx_hash: txHashField.optional(),
  ...periodFields,
};

type FilterFields = z.output<z.ZodObject<typeof transactionFilterFields>>;

/** The filter of a request. It takes the types that are notified where no type is named. */
export function transactionFilterOf(query: Omit<FilterFields, "limit" | "cursor">) {
  const { type, asset, blockchain, status, wallet_id, tx_hash, from, to } = query;
  return {
    types: type === undefined ? notifiedTypes : [type],
    ...given({
      assetCode: asset,
      chainName: blockchain,
      status,
      from,
      to,
      walletId: wallet_id,
      txHash: tx_hash,
    }),
  };
}

/** A transaction as lists show it. */
export const listedTransaction = z
  .object({
    id: idText,
    type: z.enum(types).meta({ description: meaningsIn(transactionTypes) }),
    amount: decimalText,
    asset: z.string(),
    status: z.enum(statuses).meta({ description: meaningsIn(transactionStatuses) }),
    date: timeText.meta({ description: "Of the block it is in." }),
    wallet_id: idText,
    blockchain: z.string(),
    tx_hash: hashText,
    from_address: addressText,
    to_address: addressText,
    memo: hashText.nullable().meta({
      description: "32 bytes that the payer chose (TIP-20 on Tempo); null where there are none.",
    }),
    virtual_address: addressText.nullable().meta({
      description:
        "The virtual address that was paid, whose master wallet has the money (TIP-1022 on Tempo); null where none was.",
    }),
    confirmations: count,
  })
  .meta({ id: "Transaction" });

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
      description: "Of a reversal: the notification that it takes back.",
    }),
  })
  .meta({ id: "TransactionNotification" });

/** One transaction with everything that is known of it, and its notifications. */
export const transactionDetail = z
  .object({
    ...listedTransaction.shape,
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
      description: "Of an adjustment: what it corrects lies above this block. Else null.",
    }),
    confirmed_alone: z.boolean().meta({
      description:
        "Confirmed by one endpoint alone. The others had been silent for longer than they are waited for, or no other can say which blocks are final. True also if an operator settled it.",
    }),
    required_confirmations: count.nullable().meta({
      description:
        "About how many, where it is a length of time; null where the chain's own word is waited for.",
    }),
    fee: z
      .object({ amount: decimalText, asset: z.string() })
      .nullable()
      .meta({ description: "The fee that the wallet paid for its own send." }),
    usd_value: decimalText.nullable().meta({
      description: "At confirmation; null before it, and where no fresh price was known.",
    }),
    reference: z.string().nullable(),
    seen_at: timeText.meta({ description: "When it was recorded." }),
    completed_at: timeText.nullable().meta({ description: "When it was confirmed." }),
    notifications: z.array(shownNotification),
  })
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
  };
}

export function presentTransactionDetail(
  detail: TransactionDetail,
  requiredConfirmations: RequiredConfirmations,
): z.output<typeof transactionDetail> {
  const { fee } = detail;
  return {
    ...presentTransaction(detail),
    block_number: Number(detail.blockNumber),
    block_hash: detail.blockHash,
    log_index: detail.logIndex,
    trace_path: detail.tracePath,
    proof: detail.proof,
    since_block: detail.sinceNumber === null ? null : Number(detail.sinceNumber),
    confirmed_alone: detail.isConfirmedAlone,
    required_confirmations: requiredConfirmations(detail.chainName),
    fee: fee && { amount: toDecimal(fee.amountAtomic, fee.assetDecimals), asset: fee.assetCode },
    usd_value: detail.usdValue,
    reference: detail.reference,
    seen_at: detail.seenAt.toISOString(),
    completed_at: detail.completedAt?.toISOString() ?? null,
    notifications: detail.notifications.map(presentNotification),
  };
}

function presentNotification({
  id,
  event,
  status,
  attempts,
  reversesNotificationId,
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
  };
}
