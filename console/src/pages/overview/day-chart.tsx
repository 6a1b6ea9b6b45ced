import { fill, text } from "../../text/text.ts";
import { Chart } from "../../ui/data/chart.tsx";
import { Answered } from "../../ui/frame/answered.tsx";
import { Card } from "../../ui/frame/card.tsx";
import type { Answer } from "../../wire/use-answer.ts";
import { chartDays, timesOf } from "./last-days.ts";

type Series = Parameters<typeof Chart>[0]["series"][number];

type Shown<Bucket> = {
  title: string;
  answer: Answer<readonly Bucket[]>;
  again: () => void;
  /** The name of a series, its ink, and its value in a bucket. */
  lines: readonly (readonly [name: string, ink: Series["ink"], of: (bucket: Bucket) => number])[];
};

/** Columns for each of the last days. */
export function DayChart<Bucket extends { at: string }>(props: Shown<Bucket>) {
  const { title, answer, again, lines } = props;
  const aside = <span class="muted">{fill(text.overview.days, { count: chartDays })}</span>;
  return (
    <Card title={title} aside={aside}>
      <Answered answer={answer} again={again}>
        {(buckets) => (
          <Chart
            label={title}
            shape="columns"
            times={timesOf(buckets)}
            series={lines.map(([name, ink, of]) => ({ name, ink, values: buckets.map(of) }))}
          />
        )}
      </Answered>
    </Card>
  );
}
