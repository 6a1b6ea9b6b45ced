import { fill, text } from "../../text/text.ts";
import { Chart } from "../../ui/data/chart.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { readOptional } from "../../wire/optional.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { chartDays, lastDays, timesOf } from "./last-days.ts";

type Counts = {
  data: {
    at: string;
    deposits: number;
    payments: number;
    withdrawals: number;
    reversed: number;
  }[];
};

/** How many transactions each day had. Absent where the server does not count them. */
export function TransactionsChart() {
  const { answer } = useAnswer("transactions a day", ["transactions"], (as) =>
    readOptional<Counts>("/transactions/counts", lastDays(), as),
  );
  if (answer.state !== "ready" || answer.value === null) return null;
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
