import { useFilters } from "../../route/filters.ts";
import { text } from "../../text/text.ts";
import { Written } from "../../ui/act/written.tsx";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { NoMatch } from "../../ui/frame/no-match.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { Split } from "../../ui/frame/split.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { WalletPanel } from "./wallet-panel.tsx";
import { WalletsTable } from "./wallets-table.tsx";

const names = ["address", "reference", "blockchain"] as const;

/** The wallets of a business, and one of them beside the list. */
export function WalletsPage({ id }: { id: string | null }) {
  const { filters, change, search, isFiltered } = useFilters([...names, "cursor"]);
  const { answer, again } = useAnswer(JSON.stringify(filters), ["wallets"], (as) =>
    answered(api.GET("/wallets", { params: { query: filters }, ...as })),
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
          {names.map((name) => (
            <Written
              key={name}
              label={text.wallets.filters[name]}
              value={filters[name] ?? ""}
              isWide={name !== "blockchain"}
              onChange={(value) => change(name, value)}
            />
          ))}
        </div>
        <ListCard answer={answer} again={again} empty={none}>
          {(rows) => <WalletsTable rows={rows} search={search} chosenId={id} />}
        </ListCard>
      </Split>
    </Page>
  );
}
