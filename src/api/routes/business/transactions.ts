import type { FastifyReply } from "fastify";
import { z } from "zod";
import type { BusinessLedger } from "../../../domain/business/business-ledger.ts";
import { keysOf } from "../../../domain/keys-of.ts";
import type {
  RecordedTransaction,
  RequiredConfirmations,
  TransactionsAsked,
} from "../../../domain/money/recorded-transaction.ts";
import { notifiedTypes } from "../../../domain/money/transaction.ts";
import { requireId } from "../../../domain/not-found.ts";
import { dataBody, listAnswer, listBody } from "../../../schema/answers.ts";
import { pageOf } from "../../../schema/fields.ts";
import {
  includeField,
  listedTransaction,
  type OwnField,
  presentIncluding,
  presentRecorded,
  presentTransaction,
  presentTransactionDetail,
  recordedTransaction,
  transactionDetail,
  transactionFilterFields,
  transactionFilterOf,
} from "../../../schema/transaction.ts";
import { answersWithData } from "../../answers/answers.ts";
import { type ListDeps, listed } from "../../answers/served.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";
import {
  aboutExports,
  type Columns,
  type ExportDeps,
  type ExportedList,
  exportTypeOf,
  refuseForExport,
} from "./exports.ts";
import { type OpeningsDeps, openingsBeside, openingsField, shownOpening } from "./openings.ts";

export type TransactionsDeps = OpeningsDeps &
  Pick<BusinessLedger, "readTransaction"> &
  ListDeps &
  ExportDeps & { requiredConfirmations: RequiredConfirmations };

const query = z.strictObject({
  ...transactionFilterFields,
  include: includeField,
  openings: openingsField,
});

type Shown = z.output<typeof recordedTransaction>;

/** The columns of CSV are the fields of JSON Lines, with one column for each part of the fee. */
const columns = keysOf(recordedTransaction.shape).flatMap(
  (name): Columns<Shown> =>
    name === "fee"
      ? [
          ["fee", ({ fee }) => fee?.amount],
          ["fee_asset", ({ fee }) => fee?.asset],
        ]
      : [[name, (shown) => shown[name]]],
);

const tags = ["Transactions"];

export function transactionsRoutes(web: Web, deps: TransactionsDeps): void {
  const list = {
    tags,
    summary: "List the transactions",
    description: `Newest first. Where no type is asked for: ${notifiedTypes.join(", ")}. ${aboutExports} Each row has every field of \`include\`.`,
    querystring: query,
    response: {
      200: listAnswer(listedTransaction).extend({ openings: z.array(shownOpening).optional() }),
    },
    refuses: ["wallet_not_found"] as const,
    mayBeStale: true,
  };
  web.get("/transactions", { schema: list }, async (request, reply) => {
    const { wallet_id: walletId, include, openings: isAsked } = request.query;
    const businessId = businessOf(request);
    const page = pageOf(request.query);
    const wanted = { businessId, filter: transactionFilterOf(request.query), page };
    const type = exportTypeOf(request);
    if (type !== null) {
      refuseForExport({ include: include !== undefined, openings: isAsked });
      return deps.exports.send(request, reply, { ...exportOf(wanted, deps), type });
    }
    const rows = await readPage(reply, deps, { wanted, include });
    const openings = await openingsBeside(deps, { isAsked, businessId, walletId });
    return { ...rows, ...openings };
  });

  const params = z.strictObject({ transaction_id: z.string() });
  const schema = {
    tags,
    summary: "One transaction, with its notifications",
    params,
    ...answersWithData(transactionDetail),
  };
  web.get("/transactions/:transaction_id", { schema }, async (request) => {
    const transactionId = requireId(request.params.transaction_id, "transaction_not_found");
    const businessId = businessOf(request);
    const detail = await deps.readTransaction({ businessId, transactionId });
    return dataBody(presentTransactionDetail(detail, deps.requiredConfirmations));
  });
}

/** A page with the fields that every list has, and the optional ones that were asked for. */
async function readPage(
  reply: FastifyReply,
  deps: TransactionsDeps,
  { wanted, include }: { wanted: TransactionsAsked; include: OwnField[] | undefined },
) {
  if (include === undefined) {
    const page = await listed(reply, deps, (ledger) => ledger.readTransactions(wanted));
    return listBody(page, presentTransaction);
  }
  const page = await listed(reply, deps, (ledger) => ledger.readRecordedTransactions(wanted));
  return listBody(page, (row) => presentIncluding(row, include, deps.requiredConfirmations));
}

function exportOf(
  { businessId, filter, page: after }: TransactionsAsked,
  { requiredConfirmations }: TransactionsDeps,
): Omit<ExportedList<RecordedTransaction, Shown>, "type"> {
  return {
    read: (ledger, page) => ledger.readRecordedTransactions({ businessId, filter, page }),
    after,
    idOf: filter.sort === "amount" ? ({ id }) => id : undefined,
    present: (row) => presentRecorded(row, requiredConfirmations),
    columns,
    counted: { unpriced: (shown) => shown.usd_value === null },
  };
}
