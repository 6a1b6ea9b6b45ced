import { useFilters } from "../../route/filters.ts";
import { text } from "../../text/text.ts";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { Split } from "../../ui/frame/split.tsx";
import { SelectionBar } from "../../ui/table/selection-bar.tsx";
import { selectionKey, useSelection } from "../../ui/table/use-selection.ts";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { ChooseBusiness } from "../parts/choose-business.tsx";
import { BusinessFilter } from "../parts/filters/business-filter.tsx";
import { TransactionsTable } from "../parts/transactions-table.tsx";
import { ExportSelected } from "./export-button.tsx";
import { queryOf, transactionFilters } from "./query.ts";
import { TransactionFilters } from "./transaction-filters.tsx";
import { OwnedTransactionPanel } from "./transaction-panel.tsx";

const names = ["business_id", ...transactionFilters] as const;

/** The transactions of the business that an operator chose, and one of any business beside them. */
export function OwnedTransactionsPage({ id }: { id: string | null }) {
  const { filters, change, changeAll, search } = useFilters(names);
  const { business_id: businessId, ...own } = filters;
  const of = { filters, change, changeAll };
  return (
    <Page title={text.transactions.title}>
      <Split
        panel={
          id === null ? null : (
            <OwnedTransactionPanel id={id} back={`/console/transactions${search}`} />
          )
        }
      >
        <TransactionFilters of={of}>
          <BusinessFilter of={of} />
        </TransactionFilters>
        {businessId === undefined ? (
          <ChooseBusiness icon="transactions" />
        ) : (
          <List of={businessId} query={queryOf(own)} chosenId={id} search={search} />
        )}
      </Split>
    </Page>
  );
}

type Listed = {
  of: string;
  query: ReturnType<typeof queryOf>;
  chosenId: string | null;
  search: string;
};

function List({ of, query, chosenId, search }: Listed) {
  const { answer, again } = useAnswer(JSON.stringify([of, query]), ["transactions"], (as) =>
    answered(
      api.GET("/admin/businesses/{id}/transactions", {
        params: { path: { id: of }, query },
        ...as,
      }),
    ),
  );
  const selection = useSelection<Schema<"Transaction">>(`${of} ${selectionKey(query)}`);
  return (
    <>
      <SelectionBar selection={selection}>
        <ExportSelected rows={[...selection.rows.values()]} />
      </SelectionBar>
      <ListCard
        answer={answer}
        again={again}
        empty={<Empty icon="transactions" title={text.common.nothingMatches} />}
      >
        {(rows) => (
          <TransactionsTable
            rows={rows}
            hrefOf={(row) => `/console/transactions/${row.id}${search}`}
            chosenId={chosenId}
            selection={selection}
          />
        )}
      </ListCard>
    </>
  );
}
