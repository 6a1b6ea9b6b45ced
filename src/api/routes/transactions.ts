import { z } from "zod";
import { toChecksum } from "../../domain/address.ts";
import { toDecimal } from "../../domain/amount.ts";
import { isId } from "../../domain/id.ts";
import { notFound } from "../../domain/not-found.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import {
  confirmationsOf,
  type RecordedTransaction,
  type TransactionDetail,
  type TransactionFilter,
} from "../../domain/recorded-transaction.ts";
import { ringingTypes } from "../../domain/transaction.ts";
import { businessOf } from "../authenticate.ts";
import {
  dateField,
  given,
  idField,
  pageFields,
  pageOf,
  textField,
  txHashField,
} from "../fields.ts";
import type { Web } from "../web.ts";

export type TransactionsDeps = {
  readTransactions: (asked: {
    businessId: string;
    filter: TransactionFilter;
    page: PageRequest;
  }) => Promise<Page<RecordedTransaction>>;
  readTransaction: (asked: {
    businessId: string;
    transactionId: string;
  }) => Promise<TransactionDetail>;
  /** The configured depth of a chain; null where it is no longer configured. */
  requiredConfirmations: (chainName: string) => number | null;
};

const types = [...ringingTypes, "fee", "income", "adjustment", "unattributed"] as const;
const statuses = ["pending", "completed", "dropped", "reversed"] as const;

const query = z.strictObject({
  type: z.enum(types, `expected one of ${types.join(", ")}`).optional(),
  asset: textField.optional(),
  blockchain: textField.optional(),
  status: z.enum(statuses, `expected one of ${statuses.join(", ")}`).optional(),
  wallet_id: idField.optional(),
  tx_hash: txHashField.optional(),
  from: dateField.optional(),
  to: dateField.optional(),
  ...pageFields,
});

export function transactionsRoutes(web: Web, deps: TransactionsDeps): void {
  web.get("/transactions", { schema: { querystring: query } }, async (request) => {
    const { type, asset, blockchain, status, wallet_id, tx_hash, from, to } = request.query;
    const filter = {
      types: type === undefined ? ringingTypes : [type],
      ...given({ assetCode: asset, chainName: blockchain, status, from, to }),
      ...given({ walletId: wallet_id, txHash: tx_hash }),
    };
    const businessId = businessOf(request);
    const page = await deps.readTransactions({ businessId, filter, page: pageOf(request.query) });
    return { success: true, data: page.rows.map(presentRow), next_cursor: page.nextCursor };
  });

  const params = z.strictObject({ transaction_id: z.string() });
  const schema = { params, querystring: z.strictObject({}) };
  web.get("/transactions/:transaction_id", { schema }, async (request) => {
    const transactionId = request.params.transaction_id;
    if (!isId(transactionId)) throw notFound("transaction_not_found");
    const businessId = businessOf(request);
    const detail = await deps.readTransaction({ businessId, transactionId });
    return { success: true, data: presentDetail(detail, deps.requiredConfirmations) };
  });
}

function presentRow(transaction: RecordedTransaction) {
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
    confirmations: Number(confirmationsOf(transaction)),
  };
}

function presentDetail(
  detail: TransactionDetail,
  requiredConfirmations: TransactionsDeps["requiredConfirmations"],
) {
  const { fee } = detail;
  return {
    ...presentRow(detail),
    block_number: Number(detail.blockNumber),
    block_hash: detail.blockHash,
    log_index: detail.logIndex,
    trace_path: detail.tracePath,
    required_confirmations: requiredConfirmations(detail.chainName),
    fee: fee && { amount: toDecimal(fee.amountAtomic, fee.assetDecimals), asset: fee.assetCode },
    usd_value: detail.usdValue,
    reference: detail.reference,
    notifications: detail.notifications.map(({ id, event, status, attempts, deliveredAt }) => ({
      id,
      event,
      status,
      attempts,
      delivered_at: deliveredAt === null ? null : deliveredAt.toISOString(),
    })),
  };
}
