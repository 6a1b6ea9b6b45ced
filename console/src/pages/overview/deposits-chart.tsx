import { useState } from "preact/hooks";
import { addAmounts } from "../../format/amount.ts";
import { fill, text } from "../../text/text.ts";
import { Choice } from "../../ui/act/choice.tsx";
import { Chart } from "../../ui/data/chart.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Failure } from "../../ui/frame/failure.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { chartDays, lastDays } from "./last-days.ts";

const dayS = 86_400;
// The database adds up every transaction of these days.
const pauseMs = 600_000;

/**
 * The money that came in each day, for one asset: amounts of two assets have no common scale. The
 * asset with the most transactions comes first.
 */
export function DepositsChart() {
  const [chosen, setChosen] = useState("");
  const { answer, again } = useAnswer(
    "deposits a day",
    [],
    (as) => {
      const { from, to } = lastDays();
      const query = { from, to, by: "day,type" };
      const reading = answered(api.GET("/totals", { params: { query }, ...as }));
      return reading.then(({ data }) => ({ ...depositsIn(data), from }));
    },
    { pauseMs },
  );
  if (answer.state === "failed")
    return (
      <Card title={text.overview.deposits} isFull={true}>
        <Failure fault={answer.fault} onAgain={again} />
      </Card>
    );
  if (answer.state !== "ready") return null;
  const { assets, amounts, from } = answer.value;
  const [most] = assets;
  if (most === undefined) return null;
  const asset = chosen === "" ? most : chosen;
  const begin = Date.parse(from) / 1000;
  const times = Array.from({ length: chartDays }, (_, day) => begin + day * dayS);
  const texts = times.map(
    (time) => amounts.get(`${asset} ${new Date(time * 1000).toISOString().slice(0, 10)}`) ?? "0",
  );
  const title = fill(text.overview.depositsADay, { asset });
  return (
    <Card
      title={title}
      aside={<span class="muted">{fill(text.overview.days, { count: chartDays })}</span>}
    >
      <div class="stack">
        {assets.length > 1 && (
          <Choice
            label={text.overview.asset}
            value={chosen}
            any={most}
            options={Object.fromEntries(assets.slice(1).map((code) => [code, code]))}
            onChange={setChosen}
          />
        )}
        <Chart
          label={title}
          shape="columns"
          times={times}
          series={[{ name: asset, ink: "accent", values: texts.map(Number), texts }]}
        />
      </div>
    </Card>
  );
}

/** Confirmed deposits and payments: the assets, most frequent first, and the sum of each day. */
function depositsIn(totals: readonly Schema<"Total">[]) {
  const amounts = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const { asset, type, period, completed } of totals) {
    if (type !== "deposit" && type !== "payment") continue;
    const key = `${asset} ${period ?? ""}`;
    amounts.set(key, addAmounts(amounts.get(key) ?? "0", completed.in));
    counts.set(asset, (counts.get(asset) ?? 0) + completed.count);
  }
  const assets = [...counts].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
  return { assets: assets.map(([asset]) => asset), amounts };
}
