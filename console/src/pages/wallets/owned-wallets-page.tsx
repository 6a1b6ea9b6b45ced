import { useFilters } from "../../route/filters.ts";
import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { NoMatch } from "../../ui/frame/no-match.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { Split } from "../../ui/frame/split.tsx";
import { answered, api } from "../../wire/api.ts";
import type { paths } from "../../wire/generated/api-paths.ts";
import { given, wordIn } from "../../wire/given.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { ChooseBusiness } from "../parts/choose-business.tsx";
import { BusinessFilter, keptOf } from "../parts/filters/business-filter.tsx";
import { inTime, timeFilters } from "../parts/filters/time-filters.tsx";
import { WalletsTable } from "../parts/wallets-table.tsx";
import { WalletFilters } from "./wallet-filters.tsx";
import { OwnedWalletPanel } from "./wallet-panel.tsx";

const names = ["business_id", "q", "blockchain", "status", ...timeFilters, "cursor"] as const;

/** The wallets of the business that an operator chose, and one of any business beside them. */
export function OwnedWalletsPage({ id }: { id: string | null }) {
  const { filters, change, changeAll, search } = useFilters(names);
  const { business_id: businessId, ...own } = inTime(filters);
  const of = { filters, change, changeAll };
  return (
    <Page title={text.wallets.title}>
      <Split
        panel={id === null ? null : <OwnedWalletPanel id={id} back={`/console/wallets${search}`} />}
      >
        <WalletFilters of={of} kept={keptOf(businessId)}>
          <BusinessFilter of={of} />
        </WalletFilters>
        {businessId === undefined ? (
          <ChooseBusiness icon="wallets" />
        ) : (
          <List
            of={businessId}
            query={given({ ...own, status: wordIn(text.walletStatus, own.status) })}
            chosenId={id}
            search={search}
          />
        )}
      </Split>
    </Page>
  );
}

type Query = NonNullable<paths["/admin/businesses/{id}/wallets"]["get"]["parameters"]["query"]>;

type Listed = { of: string; query: Query; chosenId: string | null; search: string };

function List({ of, query, chosenId, search }: Listed) {
  const { answer, again } = useAnswer(JSON.stringify([of, query]), ["wallets"], (as) =>
    answered(
      api.GET("/admin/businesses/{id}/wallets", { params: { path: { id: of }, query }, ...as }),
    ),
  );
  const isFiltered = Object.keys(query).some((name) => name !== "cursor");
  return (
    <ListCard
      answer={answer}
      again={again}
      empty={
        isFiltered ? (
          <NoMatch path="/wallets" kept={keptOf(of)} />
        ) : (
          <Empty icon="wallets" title={text.wallets.none}>
            {text.wallets.noneMore} <a href={addressOf(`/businesses/${of}`)}>{text.import.open}</a>
          </Empty>
        )
      }
    >
      {(rows) => (
        <WalletsTable
          rows={rows}
          chosenId={chosenId}
          hrefOf={(row) => `/console/wallets/${row.wallet_id}${search}`}
        />
      )}
    </ListCard>
  );
}
