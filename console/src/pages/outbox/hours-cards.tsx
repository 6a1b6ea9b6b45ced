import { text } from "../../text/text.ts";
import { Chart } from "../../ui/data/chart.tsx";
import { Card } from "../../ui/frame/card.tsx";
import type { Outbox } from "./outbox.ts";

/** The answer times of receivers in each hour of the last day, and the number of attempts. */
export function HoursCards({ of }: { of: Outbox["hours"] }) {
  if (of.length < 2) return null;
  const words = text.outbox;
  const times = of.map(({ at }) => Date.parse(at) / 1000);
  return (
    <div class="grid">
      <Card title={words.latencyByHour}>
        <Chart
          label={words.latencyByHour}
          shape="line"
          times={times}
          series={[
            { name: words.half, ink: "accent", values: of.map(({ p50_ms: half }) => half) },
            { name: words.most, ink: "warn", values: of.map(({ p95_ms: most }) => most) },
          ]}
        />
      </Card>
      <Card title={words.attemptsByHour}>
        <Chart
          label={words.attemptsByHour}
          shape="columns"
          times={times}
          series={[
            {
              name: words.accepted,
              ink: "good",
              values: of.map(({ attempts, failed }) => attempts - failed),
            },
            { name: words.failed, ink: "bad", values: of.map(({ failed }) => failed) },
          ]}
        />
      </Card>
    </div>
  );
}
