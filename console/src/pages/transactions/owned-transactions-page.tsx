import { type Filters, useFilters } from "../../route/filters.ts";
import { text } from "../../text/text.ts";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { NoMatch } from "../../ui/frame/no-match.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { Split } from "../../ui/frame/split.tsx";
import { SelectionBar } from "../../ui/table/selection-bar.tsx";
import { selectionKey, useSelection } from "../../ui/table/use-selection.ts";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { ChooseBusiness } from "../parts/choose-business.tsx";
import { BusinessFilter, keptOf } from "../parts/filters/business-filter.tsx";
import { TransactionsTable } from "../parts/transactions-table.tsx";
import { ExportSelected } from "./export-button.tsx";
import { queryOf, type TransactionFilter, transactionFilters } from "./query.ts";
import { TransactionFilters } from "./transaction-filters.tsx";
import { OwnedTransactionPanel } from "./transaction-panel.tsx";

const names = ["business_id", ...transactionFilters] as const;

/** The transactions of the business that an operator chose, and one of any business beside them. */
export function OwnedTransactionsPage({ id }: { id: string | null }) {
  const { filters, change, changeAll, search } = useFilters(names);
  const { business_id: businessId, ...own } = filters;
  const kept = keptOf(businessId);
  const of = { filters, change, changeAll };
  // A wallet is of one business.
  const chooseBusiness = (_: "business_id", value: string) =>
    changeAll({ business_id: value, wallet_id: "" });
  return (
    <Page title={text.transactions.title}>
      <Split
        panel={
          id === null ? null : (
            <OwnedTransactionPanel id={id} back={`/console/transactions${search}`} />
          )
        }
      >
        <TransactionFilters of={of} kept={kept}>
          <BusinessFilter of={{ filters, change: chooseBusiness }} />
        </TransactionFilters>
        {businessId === undefined ? (
          <ChooseBusiness icon="transactions" />
        ) : (
          <List of={businessId} filters={own} chosenId={id} search={search} />
        )}
      </Split>
    </Page>
  );
}

type Listed = {
  of: string;
  filters: Filters<TransactionFilter>;
  chosenId: string | null;
  search: string;
};

function List({ of, filters, chosenId, search }: Listed) {
  const query = queryOf(filters);
  const { answer, again } = useAnswer(JSON.stringify([of, query]), ["transactions"], (as) =>
    answered(
      api.GET("/admin/businesses/{id}/transactions", {
        params: { path: { id: of }, query },
        ...as,
      }),
    ),
  );
  // Of the filters and not of the query, in which the bounds of a period move with the time.
  const selection = useSelection<Schema<"Transaction">>(`${of} ${selectionKey(filters)}`);
  const isFiltered = Object.keys(filters).some((name) => name !== "cursor");
  return (
    <>
      <SelectionBar selection={selection}>
        <ExportSelected rows={[...selection.rows.values()]} />
      </SelectionBar>
      <ListCard
        answer={answer}
        again={again}
        empty={
          isFiltered ? (
            <NoMatch path="/transactions" kept={keptOf(of)} />
          ) : (
            <Empty icon="transactions" title={text.transactions.none} />
          )
        }
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
