import { useState } from "preact/hooks";
import { useFilters } from "../../route/filters.ts";
import { fillCount, text } from "../../text/text.ts";
import { showToast } from "../../ui/act/toasts.tsx";
import { useAction } from "../../ui/act/use-action.ts";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { NoMatch } from "../../ui/frame/no-match.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { answered, api } from "../../wire/api.ts";
import { given, wordIn } from "../../wire/given.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { ChangeButton } from "../parts/change-button.tsx";
import { AssetFilter } from "../parts/filters/asset-filter.tsx";
import { BusinessFilter } from "../parts/filters/business-filter.tsx";
import { ChainFilter } from "../parts/filters/chain-filter.tsx";
import { ChosenFilter, FilterBar, WrittenFilter } from "../parts/filters/filter-bar.tsx";
import { inTime, timeFilters } from "../parts/filters/time-filters.tsx";
import { type Comparison, ComparisonCard } from "./comparison-card.tsx";
import { LedgerCheck } from "./ledger-check.tsx";
import { RecordsTable } from "./records-table.tsx";

const names = [
  "event",
  "open",
  "business_id",
  "blockchain",
  "asset",
  "wallet_id",
  ...timeFilters,
  "cursor",
] as const;

/** The comparisons of ledger and chain, their differences, and the outcomes. */
export function DiscrepanciesPage() {
  const [comparison, setComparison] = useState<Comparison | null>(null);
  const { filters, change, changeAll, isFiltered } = useFilters(names);
  const query = given({
    ...inTime(filters),
    event: wordIn(text.reconciliation, filters.event),
    open: filters.open === "true" ? true : undefined,
  });
  const of = { filters, change, changeAll };
  const { answer, again } = useAnswer(JSON.stringify(query), ["discrepancies", "chains"], (as) =>
    answered(api.GET("/admin/ledger/reconciliations", { params: { query }, ...as })),
  );
  const { isBusy, run } = useAction(async () => {
    const walletId = filters.wallet_id;
    const { data } = await answered(
      api.POST("/admin/reconcile", {
        body: walletId === undefined ? {} : { wallet_id: walletId },
      }),
    );
    setComparison(data);
    showToast(
      data.discrepancies === 0 ? "good" : "bad",
      fillCount(text.discrepancies.compared, data.compared, { found: data.discrepancies }),
    );
    again();
  });
  return (
    <Page
      title={text.discrepancies.title}
      lead={text.discrepancies.lead}
      actions={
        <ChangeButton needs={{ operator: "chains" }} look="main" isBusy={isBusy} onClick={run}>
          {isBusy ? text.discrepancies.running : text.discrepancies.run}
        </ChangeButton>
      }
    >
      {comparison !== null && <ComparisonCard of={comparison} />}
      <LedgerCheck />
      <FilterBar of={of} path="/discrepancies">
        <ChosenFilter
          of={of}
          name="event"
          label={text.discrepancies.event}
          options={text.reconciliation}
        />
        <ChosenFilter
          of={of}
          name="open"
          label={text.discrepancies.state}
          options={{ true: text.discrepancies.open }}
        />
        <BusinessFilter of={of} />
        <ChainFilter of={of} />
        <AssetFilter of={of} />
        <WrittenFilter
          of={of}
          name="wallet_id"
          label={text.transactions.filters.wallet_id}
          isWide={true}
        />
      </FilterBar>
      <ListCard
        answer={answer}
        again={again}
        empty={
          isFiltered ? (
            <NoMatch path="/discrepancies" />
          ) : (
            <Empty
              icon="discrepancies"
              title={text.discrepancies.none}
              command={text.discrepancies.noneCommand}
            />
          )
        }
      >
        {(rows) => <RecordsTable rows={rows} />}
      </ListCard>
    </Page>
  );
}
