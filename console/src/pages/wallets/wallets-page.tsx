import { useFilters } from "../../route/filters.ts";
import { text } from "../../text/text.ts";
import { Choice } from "../../ui/act/choice.tsx";
import { Written } from "../../ui/act/written.tsx";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { NoMatch } from "../../ui/frame/no-match.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { Split } from "../../ui/frame/split.tsx";
import { answered, api } from "../../wire/api.ts";
import { given, wordIn } from "../../wire/given.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { WalletPanel } from "./wallet-panel.tsx";
import { WalletsTable } from "./wallets-table.tsx";

const names = ["q", "blockchain", "status", "address", "reference", "label", "cursor"] as const;

/** The wallets of a business, and one of them beside the list. */
export function WalletsPage({ id }: { id: string | null }) {
  const { filters, change, search, isFiltered } = useFilters(names);
  const query = given({ ...filters, status: wordIn(text.walletStatus, filters.status) });
  const { answer, again } = useAnswer(JSON.stringify(query), ["wallets"], (as) =>
    answered(api.GET("/wallets", { params: { query }, ...as })),
  );
  const none = isFiltered ? (
    <NoMatch path="/wallets" />
  ) : (
    <Empty icon="wallets" title={text.wallets.none} command={text.wallets.noneCommand}>
      {text.wallets.noneMore}
    </Empty>
  );
  return (
    <Page title={text.wallets.title}>
      <Split
        panel={id === null ? null : <WalletPanel id={id} back={`/console/wallets${search}`} />}
      >
        <div class="filters">
          <Written
            label={text.wallets.filters.q}
            value={filters.q ?? ""}
            isWide={true}
            onChange={(value) => change("q", value)}
          />
          <Choice
            label={text.wallets.status}
            value={filters.status ?? ""}
            any={text.common.any}
            options={text.walletStatus}
            onChange={(value) => change("status", value)}
          />
          <Written
            label={text.wallets.blockchain}
            value={filters.blockchain ?? ""}
            onChange={(value) => change("blockchain", value)}
          />
        </div>
        <ListCard answer={answer} again={again} empty={none}>
          {(rows) => <WalletsTable rows={rows} search={search} chosenId={id} />}
        </ListCard>
      </Split>
    </Page>
  );
}
