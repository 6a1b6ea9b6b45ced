import { useFilters } from "../../route/filters.ts";
import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { Split } from "../../ui/frame/split.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { ChooseBusiness } from "../parts/choose-business.tsx";
import { BusinessFilter } from "../parts/filters/business-filter.tsx";
import { OwnedWalletPanel } from "./wallet-panel.tsx";
import { WalletsTable } from "./wallets-table.tsx";

/** The wallets of the business that an operator chose, and one of any business beside them. */
export function OwnedWalletsPage({ id }: { id: string | null }) {
  const { filters, change, search } = useFilters(["business_id", "cursor"]);
  const { business_id: businessId, ...page } = filters;
  return (
    <Page title={text.wallets.title}>
      <Split
        panel={id === null ? null : <OwnedWalletPanel id={id} back={`/console/wallets${search}`} />}
      >
        <div class="filters">
          <BusinessFilter of={{ filters, change }} />
        </div>
        {businessId === undefined ? (
          <ChooseBusiness icon="wallets" />
        ) : (
          <List of={businessId} page={page} chosenId={id} search={search} />
        )}
      </Split>
    </Page>
  );
}

type Listed = { of: string; page: { cursor?: string }; chosenId: string | null; search: string };

function List({ of, page, chosenId, search }: Listed) {
  const { answer, again } = useAnswer(JSON.stringify([of, page]), ["wallets"], (as) =>
    answered(
      api.GET("/admin/businesses/{id}/wallets", {
        params: { path: { id: of }, query: page },
        ...as,
      }),
    ),
  );
  return (
    <ListCard
      answer={answer}
      again={again}
      empty={
        <Empty icon="wallets" title={text.wallets.none}>
          {text.wallets.noneMore} <a href={addressOf(`/businesses/${of}`)}>{text.import.open}</a>
        </Empty>
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
