import { keysOf } from "../../domain/keys-of.ts";
import {
  type RecordedTransaction,
  type TransactionsAsked,
  transactionSorts,
} from "../../domain/money/recorded-transaction.ts";
import {
  notifiedTypes,
  transactionStatuses,
  transactionTypes,
} from "../../domain/money/transaction.ts";
import { requireId } from "../../domain/not-found.ts";
import type { Page } from "../../domain/page.ts";
import {
  listedTransaction,
  presentTransaction,
  transactionFilterFields,
  transactionFilterOf,
} from "../../schema/transaction.ts";
import { defineList } from "../define-list.ts";
import { type BusinessReader, pageOfBusiness } from "../page-of-business.ts";
import { moment, namedHash, oneOf, optional, required, text } from "../parameter.ts";

type Ledger = BusinessReader & {
  readRecordedTransactions: (asked: TransactionsAsked) => Promise<Page<RecordedTransaction>>;
};

type Filter = { business: string } & Parameters<typeof transactionFilterOf>[0];

const types = keysOf(transactionTypes);
const statuses = keysOf(transactionStatuses);

/**
 * Lists a business's transactions. The order is that in which they were first seen, newest first.
 */
export const transactionList = defineList({
  noun: "transaction",
  http: {
    path: "/businesses/:id/transactions",
    mayBeStale: true,
    summary: "List a business's transactions",
    query: transactionFilterFields,
    filter: ({ params, query }) => ({ business: params.id, ...query }),
  },
  cli: {
    name: "list",
    help: "List a business's transactions, newest first, or largest first.",
    examples: [
      "transaction list --business 018f… --limit 20",
      "transaction list --business 018f… --status reversed --json",
      "transaction list --business 018f… --named order-17",
      "transaction list --business 018f… --asset USDC --sort amount",
    ],
    takes: {
      business: required("--business <id>", text, "whose transactions"),
      type: optional(
        "--type <word>",
        oneOf(types),
        `of this type; else ${notifiedTypes.join(", ")}`,
      ),
      status: optional(
        "--status <word>",
        oneOf(statuses),
        `with this status: ${statuses.join(", ")}`,
      ),
      asset: optional("--asset <code>", text, "of this asset alone, such as USDC"),
      blockchain: optional("--blockchain <name>", text, "of this chain alone"),
      wallet_id: optional("--wallet <id>", text, "of this wallet alone"),
      q: optional(
        "--named <text>",
        text,
        "of wallets with this text in their reference or label, or at the beginning of their address",
      ),
      tx_hash: optional(
        "--hash <0x…>",
        namedHash,
        "of this transaction of the chain, whole or shortened",
      ),
      sort: optional(
        "--sort <word>",
        oneOf(transactionSorts),
        "by time, newest first, unless it is named; or by amount of the asset, largest first",
      ),
      from: optional("--from <time>", moment, "of a block of that time or later"),
      to: optional("--to <time>", moment, "of a block before that time"),
    },
    // There may be very many, too many for a screen.
    standardLimit: 100,
  },
  check: ({ business, wallet_id, ...filter }: Filter): Omit<TransactionsAsked, "page"> => ({
    businessId: requireId(business, "business_not_found"),
    filter: transactionFilterOf({
      ...filter,
      wallet_id: wallet_id === undefined ? undefined : requireId(wallet_id, "wallet_not_found"),
    }),
  }),
  call: ({ ledger }: { ledger: Ledger }, asked, page) =>
    pageOfBusiness(ledger, asked.businessId, ledger.readRecordedTransactions({ ...asked, page })),
  row: listedTransaction,
  // The customer whose money it is.
  present: (row) =>
    Object.assign(presentTransaction(row), { reference: row.reference, label: row.label }),
});
