import { text } from "../../text/text.ts";
import { Chart } from "../../ui/data/chart.tsx";
import { Card } from "../../ui/frame/card.tsx";
import type { Outbox } from "./outbox.ts";

/** The deliveries that waited in the last day, and those that were held. */
export function QueueCard({ of }: { of: Outbox["queue"] }) {
  if (of.length < 2) return null;
  const words = text.outbox;
  return (
    <Card title={words.queue}>
      <Chart
        label={words.queueMore}
        shape="line"
        times={of.map(({ at }) => Date.parse(at) / 1000)}
        series={[
          { name: words.waiting, ink: "accent", values: of.map(({ waiting }) => waiting) },
          { name: words.held, ink: "warn", values: of.map(({ held }) => held) },
        ]}
      />
    </Card>
  );
}
