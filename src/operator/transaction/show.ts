import { z } from "zod";
import type { TransactionDetail } from "../../domain/delivery/transaction-detail.ts";
import type { RequiredConfirmations } from "../../domain/money/recorded-transaction.ts";
import { requireId } from "../../domain/not-found.ts";
import { idText } from "../../schema/answers.ts";
import { presentTransactionDetail, transactionDetail } from "../../schema/transaction.ts";
import { defineReading } from "../define-verb.ts";
import { argument } from "../parameter.ts";

type Ports = {
  ledger: {
    readTransaction: (asked: {
      businessId: string | null;
      transactionId: string;
    }) => Promise<TransactionDetail>;
  };
  requiredConfirmations: RequiredConfirmations;
};

/** Shows one transaction of any business. @throws Fault `transaction_not_found` */
export const transactionShow = defineReading({
  noun: "transaction",
  http: {
    method: "GET",
    path: "/transactions/:id",
    summary: "One transaction of any business, with its notifications",
    input: ({ params: { id } }) => ({ id }),
  },
  cli: {
    name: "show",
    help: "Show one transaction of any business, with its notifications.",
    examples: ["transaction show 018f…"],
    takes: { id: argument("<id>", "the id of the transaction") },
  },
  check: ({ id }: { id: string }) => requireId(id, "transaction_not_found"),
  call: async ({ ledger, requiredConfirmations }: Ports, transactionId) => ({
    detail: await ledger.readTransaction({ businessId: null, transactionId }),
    requiredConfirmations,
  }),
  answer: z
    .object({ ...transactionDetail.shape, business_id: idText })
    .meta({ id: "AdminTransactionDetail" }),
  present: ({ detail, requiredConfirmations }) => ({
    ...presentTransactionDetail(detail, requiredConfirmations),
    business_id: detail.businessId,
  }),
});
