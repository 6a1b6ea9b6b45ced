import { fill, text } from "../../text/text.ts";
import { Chart } from "../../ui/data/chart.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { useAnswer } from "../../wire/use-answer.ts";
import { readNotificationCounts } from "../parts/notification-counts.ts";
import { chartDays, lastDays, timesOf } from "./last-days.ts";

/** How many notifications each day had, heard and not. */
export function DeliveriesChart() {
  const { answer } = useAnswer("deliveries a day", ["deliveries"], (as) =>
    readNotificationCounts(lastDays(), as),
  );
  if (answer.state !== "ready") return null;
  const { buckets } = answer.value;
  return (
    <Card
      title={text.overview.deliveriesADay}
      aside={<span class="muted">{fill(text.overview.days, { count: chartDays })}</span>}
    >
      <Chart
        label={text.overview.deliveriesADay}
        shape="columns"
        times={timesOf(buckets)}
        series={[
          {
            name: text.overview.heard,
            ink: "good",
            values: buckets.map(({ delivered }) => delivered),
          },
          {
            name: text.overview.open,
            ink: "warn",
            values: buckets.map(({ waiting, held }) => waiting + held),
          },
          {
            name: text.overview.failed,
            ink: "bad",
            values: buckets.map(({ exhausted, cancelled }) => exhausted + cancelled),
          },
        ]}
      />
    </Card>
  );
}
