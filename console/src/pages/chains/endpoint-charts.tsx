import { fill, text } from "../../text/text.ts";
import { Chart } from "../../ui/data/chart.tsx";
import type { Series } from "../../ui/data/series.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Section } from "../../ui/frame/section.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { chartInks } from "./chart-inks.ts";
import type { ChainStatus } from "./status.ts";

/**
 * The answer times and failures of a chain's endpoints in the last day. Only the five that failed
 * the most are drawn.
 */
export function EndpointCharts({ of: { name: chain } }: { of: ChainStatus }) {
  const { answer, again } = useAnswer(chain, ["health"], async (as) => {
    const params = { path: { name: chain } };
    return (await answered(api.GET("/admin/chains/{name}/endpoints", { params, ...as }))).data;
  });
  return (
    <Answered answer={answer} again={again} lines={4}>
      {(seen) => <Drawn seen={seen} chain={chain} />}
    </Answered>
  );
}

type Seen = { at: string; endpoint: string; latency_ms: number | null; failures: number };

function Drawn({ seen, chain }: { seen: readonly Seen[]; chain: string }) {
  const ats = [...new Set(seen.map(({ at }) => at))].sort();
  if (ats.length < 2)
    return (
      <Section title={text.chains.latencies}>
        <p class="muted">{text.chains.lagBegins}</p>
      </Section>
    );
  const times = ats.map((at) => Date.parse(at) / 1000);
  const seriesOf = (read: (one: Seen) => number | null): Series[] =>
    troubledOf(seen).map((endpoint, place) => {
      const values = new Map(
        seen.flatMap((one) => (one.endpoint === endpoint ? [[one.at, read(one)]] : [])),
      );
      return {
        name: endpoint,
        ink: chartInks[place] ?? "plain",
        values: ats.map((at) => values.get(at) ?? null),
      };
    });
  return (
    <div class="stack">
      <Section title={text.chains.latencies}>
        <Chart
          label={fill(text.chains.latencyOf, { name: chain })}
          shape="line"
          times={times}
          series={seriesOf(({ latency_ms: latency }) => latency)}
        />
      </Section>
      <Section title={text.chains.failedRequests}>
        <Chart
          label={fill(text.chains.failuresOf, { name: chain })}
          shape="columns"
          times={times}
          series={seriesOf(({ failures }) => failures)}
        />
      </Section>
    </div>
  );
}

/** The names of the endpoints that failed the most, as many as there are colours. */
function troubledOf(seen: readonly Seen[]): string[] {
  const failures = new Map<string, number>();
  for (const one of seen)
    failures.set(one.endpoint, (failures.get(one.endpoint) ?? 0) + one.failures);
  return [...failures]
    .sort(([, one], [, other]) => other - one)
    .slice(0, chartInks.length)
    .map(([endpoint]) => endpoint)
    .sort();
}
