import { useFilters } from "../../route/filters.ts";
import { text } from "../../text/text.ts";
import { ListCard } from "../../ui/data/list-card.tsx";
import { NoMatch } from "../../ui/frame/no-match.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { Split } from "../../ui/frame/split.tsx";
import { SelectionBar } from "../../ui/table/selection-bar.tsx";
import { selectionKey, useSelection } from "../../ui/table/use-selection.ts";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { NoTransactions } from "../parts/no-transactions.tsx";
import { TransactionsTable } from "../parts/transactions-table.tsx";
import { ExportButton, ExportSelected, include } from "./export-button.tsx";
import { queryOf, transactionFilters } from "./query.ts";
import { TransactionFilters } from "./transaction-filters.tsx";
import { TransactionPanel } from "./transaction-panel.tsx";

/** The transactions of a business, and one of them beside the list. */
export function TransactionsPage({ id }: { id: string | null }) {
  const { filters, change, changeAll, search, isFiltered } = useFilters(transactionFilters);
  const query = queryOf(filters);
  const { answer, again } = useAnswer(JSON.stringify(query), ["transactions"], (as) =>
    answered(api.GET("/transactions", { params: { query: { ...query, include } }, ...as })),
  );
  const selection = useSelection<Schema<"Transaction">>(selectionKey(filters));
  const none = isFiltered ? <NoMatch path="/transactions" /> : <NoTransactions />;
  return (
    <Page title={text.transactions.title} actions={<ExportButton query={query} />}>
      <Split
        panel={
          id === null ? null : <TransactionPanel id={id} back={`/console/transactions${search}`} />
        }
      >
        <TransactionFilters of={{ filters, change, changeAll }} />
        <SelectionBar selection={selection}>
          <ExportSelected rows={[...selection.rows.values()]} />
        </SelectionBar>
        <ListCard answer={answer} again={again} empty={none}>
          {(rows) => (
            <TransactionsTable
              rows={rows}
              hrefOf={(row) => `/console/transactions/${row.id}${search}`}
              chosenId={id}
              selection={selection}
            />
          )}
        </ListCard>
      </Split>
    </Page>
  );
}
