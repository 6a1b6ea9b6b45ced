import { z } from "zod";
import type { BusinessLedger } from "../../../domain/business/business-ledger.ts";
import type { RequiredConfirmations } from "../../../domain/money/recorded-transaction.ts";
import { notifiedTypes } from "../../../domain/money/transaction.ts";
import { requireId } from "../../../domain/not-found.ts";
import { dataBody, listAnswer, listBody } from "../../../schema/answers.ts";
import { pageOf } from "../../../schema/fields.ts";
import {
  listedTransaction,
  presentTransaction,
  presentTransactionDetail,
  transactionDetail,
  transactionFilterFields,
  transactionFilterOf,
} from "../../../schema/transaction.ts";
import { answersWithData } from "../../answers/answers.ts";
import { type ListDeps, listed } from "../../answers/served.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";
import { type OpeningsDeps, openingsBeside, openingsField, shownOpening } from "./openings.ts";

export type TransactionsDeps = OpeningsDeps &
  Pick<BusinessLedger, "readTransaction"> &
  ListDeps & { requiredConfirmations: RequiredConfirmations };

const query = z.strictObject({ ...transactionFilterFields, openings: openingsField });

const tags = ["Transactions"];

export function transactionsRoutes(web: Web, deps: TransactionsDeps): void {
  const list = {
    tags,
    summary: "List the transactions",
    description: `Newest first. Where no type is asked for: ${notifiedTypes.join(", ")}.`,
    querystring: query,
    response: {
      200: listAnswer(listedTransaction).extend({ openings: z.array(shownOpening).optional() }),
    },
    refuses: ["wallet_not_found"] as const,
    mayBeStale: true,
  };
  web.get("/transactions", { schema: list }, async (request, reply) => {
    const { wallet_id } = request.query;
    const filter = transactionFilterOf(request.query);
    const businessId = businessOf(request);
    const wanted = { businessId, filter, page: pageOf(request.query) };
    const page = await listed(reply, deps, (ledger) => ledger.readTransactions(wanted));
    const isAsked = request.query.openings;
    const openings = await openingsBeside(deps, { isAsked, businessId, walletId: wallet_id });
    return { ...listBody(page, presentTransaction), ...openings };
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
