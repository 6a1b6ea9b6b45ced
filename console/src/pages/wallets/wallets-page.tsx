import { useFilters } from "../../route/filters.ts";
import { text } from "../../text/text.ts";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { NoMatch } from "../../ui/frame/no-match.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { Split } from "../../ui/frame/split.tsx";
import { answered, api } from "../../wire/api.ts";
import { given, wordIn } from "../../wire/given.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { inTime, timeFilters } from "../parts/filters/time-filters.tsx";
import { WalletsTable } from "../parts/wallets-table.tsx";
import { WalletFilters } from "./wallet-filters.tsx";
import { WalletPanel } from "./wallet-panel.tsx";

const names = [
  "q",
  "blockchain",
  "status",
  "address",
  "reference",
  "label",
  ...timeFilters,
  "cursor",
] as const;

/** The wallets of a business, and one of them beside the list. */
export function WalletsPage({ id }: { id: string | null }) {
  const { filters, change, changeAll, search, isFiltered } = useFilters(names);
  const query = given({ ...inTime(filters), status: wordIn(text.walletStatus, filters.status) });
  const { answer, again } = useAnswer(JSON.stringify(query), ["wallets"], (as) =>
    answered(api.GET("/wallets", { params: { query }, ...as })),
  );
  const of = { filters, change, changeAll };
  const none = isFiltered ? (
    <NoMatch path="/wallets" />
  ) : (
    <Empty icon="wallets" title={text.wallets.none} command={text.wallets.noneCommand}>
      {text.wallets.noneMore} {text.wallets.noneOwn}
    </Empty>
  );
  return (
    <Page title={text.wallets.title}>
      <Split
        panel={id === null ? null : <WalletPanel id={id} back={`/console/wallets${search}`} />}
      >
        <WalletFilters of={of} />
        <ListCard answer={answer} again={again} empty={none}>
          {(rows) => (
            <WalletsTable
              {...{ rows, chosenId: id }}
              hrefOf={(row) => `/console/wallets/${row.wallet_id}${search}`}
            />
          )}
        </ListCard>
      </Split>
    </Page>
  );
}
