import { countText } from "../../format/amount.ts";
import { useFilters } from "../../route/filters.ts";
import { addressOf } from "../../route/place.ts";
import { fill, text } from "../../text/text.ts";
import { Figure } from "../../ui/data/figure.tsx";
import { Answered } from "../../ui/frame/answered.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { Panel } from "../../ui/frame/panel.tsx";
import { Split } from "../../ui/frame/split.tsx";
import { When } from "../../ui/show/when.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { ChainDetail } from "./chain-detail.tsx";
import { ChainsTable } from "./chains-table.tsx";
import { EndpointsCard } from "./endpoints-card.tsx";
import { LagsCard } from "./lags-card.tsx";
import type { Status } from "./status.ts";

/**
 * The position of each chain, the reason why a chain is stopped, and the state of its endpoints.
 */
export function ChainsPage() {
  const { filters } = useFilters(["chain"]);
  const { answer, again } = useAnswer("status", ["chains", "outbox", "deliveries"], async (as) => {
    const { data } = await answered(api.GET("/admin/status", as));
    return data;
  });
  const chosen =
    answer.state === "ready"
      ? (answer.value.chains.find(({ name }) => name === filters.chain) ?? null)
      : null;
  return (
    <Page title={text.chains.title}>
      {answer.state === "ready" && <StatusFigures of={answer.value} />}
      <Split
        panel={
          chosen === null ? null : (
            <Panel title={chosen.name} shownId={chosen.name} back={addressOf("/chains")}>
              <ChainDetail of={chosen} />
            </Panel>
          )
        }
      >
        <Card isFull={true}>
          <Answered answer={answer} again={again}>
            {({ chains }) =>
              chains.length === 0 ? (
                <Empty icon="chains" title={text.chains.none} command={text.chains.noneCommand} />
              ) : (
                <ChainsTable rows={chains} chosenId={chosen?.name ?? null} />
              )
            }
          </Answered>
        </Card>
        {answer.state === "ready" && <LagsCard of={answer.value.chains} />}
        {answer.state === "ready" && <EndpointsCard of={answer.value.chains} />}
      </Split>
    </Page>
  );
}

function StatusFigures({ of: { chains, outbox } }: { of: Status }) {
  const stopped = chains.filter((chain) => chain.stopped !== null).length;
  const discrepancies = chains.reduce((sum, chain) => sum + chain.discrepancies, 0);
  const oldest = outbox.oldest_waiting_at;
  return (
    <div class="grid-figures">
      <Figure name={text.chains.watched} more={fill(text.chains.stoppedCount, { count: stopped })}>
        {chains.length}
      </Figure>
      <Figure name={text.discrepancies.title} more={text.chains.openNow}>
        {discrepancies}
      </Figure>
      <Figure
        name={text.outbox.waiting}
        more={
          oldest === null ? (
            text.outbox.nothingWaits
          ) : (
            <>
              {text.outbox.oldest} <When at={oldest} />
            </>
          )
        }
      >
        {countText(outbox.waiting)}
      </Figure>
      <Figure name={text.outbox.held} more={text.outbox.heldMore}>
        {countText(outbox.held)}
      </Figure>
    </div>
  );
}
