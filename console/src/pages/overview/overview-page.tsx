import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { Banners } from "./banners.tsx";
import { DeliveriesChart } from "./deliveries-chart.tsx";
import { DepositsChart } from "./deposits-chart.tsx";
import { Figures } from "./figures.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { Holdings } from "./holdings.tsx";
import { LatestTransactions } from "./latest-transactions.tsx";
import { TransactionsChart } from "./transactions-chart.tsx";

/** The holdings of a business, its latest transactions, and the outcome of its notifications. */
export function OverviewPage() {
  const { answer, again } = useAnswer("balance", ["balance", "transactions", "wallets"], (as) =>
    answered(api.GET("/balance", as)),
  );
  const balance = answer.state === "ready" ? answer.value : null;
  return (
    <Page title={text.overview.title}>
      <Banners syncingWallets={balance?.syncing_wallets ?? 0} />
      <FirstSteps />
      <Figures balance={answer} />
      <div class="grid">
        <TransactionsChart />
        <DeliveriesChart />
        <DepositsChart />
      </div>
      <Card
        title={text.overview.holdings}
        aside={<span class="muted">{text.overview.exact}</span>}
        isFull={true}
      >
        <Answered answer={answer} again={again} lines={3}>
          {(value) => <Holdings of={value} />}
        </Answered>
      </Card>
      <Card
        title={text.overview.latest}
        aside={<a href={addressOf("/transactions")}>{text.overview.all}</a>}
        isFull={true}
      >
        <LatestTransactions />
      </Card>
    </Page>
  );
}
