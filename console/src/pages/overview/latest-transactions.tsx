import { addressOf } from "../../route/place.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { NoTransactions } from "../parts/no-transactions.tsx";
import { withCustomer } from "../parts/read-transactions.ts";
import { TransactionsTable } from "../parts/transactions-table.tsx";

/** The latest transactions. */
export function LatestTransactions() {
  const { answer, again } = useAnswer("latest", ["transactions"], (as) =>
    answered(api.GET("/transactions", { params: { query: { ...withCustomer, limit: 8 } }, ...as })),
  );
  return (
    <Answered answer={answer} again={again} lines={4}>
      {({ data }) =>
        data.length === 0 ? (
          <NoTransactions />
        ) : (
          <TransactionsTable rows={data} hrefOf={(row) => addressOf(`/transactions/${row.id}`)} />
        )
      }
    </Answered>
  );
}
