import { text } from "../../text/text.ts";
import { Chart } from "../../ui/data/chart.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Failure } from "../../ui/frame/failure.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { chartInks } from "./chart-inks.ts";
import type { ChainStatus } from "./status.ts";

/** The lag of the chains in the last day, of the five that are the furthest behind now. */
export function LagsCard({ of }: { of: readonly ChainStatus[] }) {
  const names = [...of]
    .sort((a, b) => (b.lag_seconds ?? 0) - (a.lag_seconds ?? 0))
    .slice(0, chartInks.length)
    .map(({ name }) => name)
    .sort();
  const { answer, again } = useAnswer(names.join(" "), [], (as) =>
    Promise.all(
      names.map(async (name) => {
        const params = { path: { name } };
        const { data } = await answered(api.GET("/admin/chains/{name}/lag", { params, ...as }));
        return { name, seconds: new Map(data.map(({ at, seconds }) => [at, seconds])) };
      }),
    ),
  );
  if (answer.state === "failed")
    return (
      <Card title={text.chains.lagsTitle} isFull={true}>
        <Failure fault={answer.fault} onAgain={again} />
      </Card>
    );
  if (answer.state !== "ready") return null;
  const seen = answer.value;
  const ats = [...new Set(seen.flatMap(({ seconds }) => [...seconds.keys()]))].sort();
  if (ats.length < 2) return null;
  return (
    <Card title={text.chains.lagsTitle}>
      <Chart
        label={text.chains.lagsOf}
        shape="line"
        times={ats.map((at) => Date.parse(at) / 1000)}
        series={seen.map(({ name, seconds }, place) => ({
          name,
          ink: chartInks[place] ?? "plain",
          values: ats.map((at) => seconds.get(at) ?? null),
        }))}
      />
    </Card>
  );
}
