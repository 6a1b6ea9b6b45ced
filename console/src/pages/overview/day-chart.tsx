import { fill, text } from "../../text/text.ts";
import { Chart } from "../../ui/data/chart.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { chartDays, timesOf } from "./last-days.ts";

type Series = Parameters<typeof Chart>[0]["series"][number];

type Shown<Bucket> = {
  title: string;
  buckets: readonly Bucket[];
  /** The name of a series, its ink, and its value in a bucket. */
  lines: readonly (readonly [name: string, ink: Series["ink"], of: (bucket: Bucket) => number])[];
};

/** Columns for each of the last days. */
export function DayChart<Bucket extends { at: string }>({ title, buckets, lines }: Shown<Bucket>) {
  const aside = <span class="muted">{fill(text.overview.days, { count: chartDays })}</span>;
  const series = lines.map(([name, ink, of]) => ({ name, ink, values: buckets.map(of) }));
  return (
    <Card title={title} aside={aside}>
      <Chart label={title} shape="columns" times={timesOf(buckets)} series={series} />
    </Card>
  );
}
