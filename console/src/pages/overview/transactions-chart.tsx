import { fill, text } from "../../text/text.ts";
import { Chart } from "../../ui/data/chart.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { chartDays, lastDays, timesOf } from "./last-days.ts";

/** How many transactions each day had. */
export function TransactionsChart() {
  const { answer } = useAnswer("transactions a day", ["transactions"], (as) =>
    answered(api.GET("/transactions/counts", { params: { query: lastDays() }, ...as })),
  );
  if (answer.state !== "ready") return null;
  const { data } = answer.value;
  return (
    <Card
      title={text.overview.transactionsADay}
      aside={<span class="muted">{fill(text.overview.days, { count: chartDays })}</span>}
    >
      <Chart
        label={text.overview.transactionsADay}
        shape="columns"
        times={timesOf(data)}
        series={[
          {
            name: text.overview.deposits,
            ink: "accent",
            values: data.map(({ deposits, payments }) => deposits + payments),
          },
          {
            name: text.overview.withdrawals,
            ink: "plain",
            values: data.map(({ withdrawals }) => withdrawals),
          },
          {
            name: text.overview.reversals,
            ink: "bad",
            values: data.map(({ reversed }) => reversed),
          },
        ]}
      />
    </Card>
  );
}
