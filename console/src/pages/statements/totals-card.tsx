import { useState } from "preact/hooks";
import { addAmounts, cutDecimals, isZero } from "../../format/amount.ts";
import { fill, fillCount, text } from "../../text/text.ts";
import { Choice } from "../../ui/act/choice.tsx";
import { Segments } from "../../ui/act/segments.tsx";
import { Chart } from "../../ui/data/chart.tsx";
import { InPages } from "../../ui/data/in-pages.tsx";
import { Answered } from "../../ui/frame/answered.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { Amount } from "../../ui/show/amount.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { wordIn } from "../../wire/given.ts";
import { useAnswer } from "../../wire/use-answer.ts";

type Total = Schema<"Total">;
type Key = keyof typeof text.totals.by;

const keys = ["label", "type", "asset", "blockchain", "day", "month"] as const;

const sides: readonly Column<Total>[] = (["in", "out"] as const).map((name) => ({
  name,
  head: text.statements.columns[name === "in" ? "incoming" : "outgoing"],
  isEnd: true,
  cell: ({ completed }) => (
    <>
      <Amount amount={completed[name]} />
      {!isZero(completed[name]) && <Worth usd={completed[`usd_${name}`]} />}
    </>
  ),
}));

const columnsOf: (key: Key) => readonly Column<Total>[] = (key) => [
  {
    name: "asset",
    head: text.overview.asset,
    cell: ({ asset, completed: { count, unpriced } }) => (
      <>
        <strong>{asset}</strong>
        <span class="second nowrap">{fillCount(text.totals.count, count)}</span>
        {unpriced > 0 && (
          <span class="second">{fill(text.statements.unpriced, { count: unpriced })}</span>
        )}
      </>
    ),
  },
  ...(key === "asset"
    ? []
    : [{ name: key, head: text.totals.heads[key], cell: (row: Total) => groupOf(row, key) }]),
  ...sides,
];

type Shown = {
  /** Such as `2026-01`. */
  month: string;
  /** One wallet's money alone; null: that of all wallets. */
  walletId: string | null;
  by: string | undefined;
  onChange: (by: string) => void;
};

/**
 * The money in and out of a month by label, type, asset, chain or day; by month, of its year. Days
 * and months are drawn too, of one asset at a time.
 */
export function TotalsCard({ month, walletId, by, onChange }: Shown) {
  const key = wordIn(text.totals.by, by) ?? "label";
  const period = key === "month" ? month.slice(0, 4) : month;
  const title = fill(text.totals.title, { by: text.totals.by[key], period });
  return (
    <Card
      title={title}
      aside={
        <Segments
          label={text.totals.choose}
          choices={keys}
          chosen={key}
          wordsOf={(one) => text.totals.by[one]}
          onChoose={onChange}
        />
      }
      isFull={true}
    >
      {/* Of another question no row may stand under this title, not even for a moment. */}
      <Totals key={`${month} ${key} ${walletId ?? ""}`} of={{ month, walletId, by: key, title }} />
    </Card>
  );
}

type Asked = { month: string; walletId: string | null; by: Key; title: string };

function Totals({ of: { month, walletId, by, title } }: { of: Asked }) {
  const bounds = boundsOf(by, month);
  const { answer, again } = useAnswer("totals", ["transactions"], (as) => {
    const query = {
      ...bounds,
      ...(by === "asset" ? {} : { by }),
      ...(walletId === null ? {} : { wallet_id: walletId }),
    };
    return answered(api.GET("/totals", { params: { query }, ...as }));
  });
  return (
    <Answered answer={answer} again={again} lines={3}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty icon="statements" title={text.statements.nothing} />
        ) : (
          <>
            {(by === "day" || by === "month") && (
              <div class="card-body">
                <InTime of={data} title={title} unit={by} bounds={bounds} />
              </div>
            )}
            <InPages rows={data}>
              {(rows) => (
                <Table
                  caption={title}
                  columns={columnsOf(by)}
                  rows={rows}
                  idOf={(row) => `${row.asset} ${nameOf(row, by)}`}
                />
              )}
            </InPages>
          </>
        )
      }
    </Answered>
  );
}

type Bounds = { from: string; to: string };
type Drawn = { of: readonly Total[]; title: string; unit: "day" | "month"; bounds: Bounds };

/** The totals of one asset over time: amounts of two assets have no common scale. */
function InTime({ of, title, unit, bounds }: Drawn) {
  const assets = [...new Set(of.map(({ asset }) => asset))];
  const [chosen, setChosen] = useState("");
  const asset = assets.includes(chosen) ? chosen : (assets[0] ?? "");
  const rows = of.filter((row) => row.asset === asset);
  const parts = partsOf(unit, bounds);
  const textsOf = (side: "in" | "out") =>
    parts.map((part) =>
      rows
        .filter(({ period }) => period === part)
        .reduce((sum, { completed }) => addAmounts(sum, completed[side]), "0"),
    );
  const [incoming, outgoing] = [textsOf("in"), textsOf("out")];
  const words = text.statements.columns;
  return (
    <>
      {assets.length > 1 && (
        <Choice
          label={text.overview.asset}
          value={chosen}
          any={assets[0] ?? ""}
          options={Object.fromEntries(assets.slice(1).map((code) => [code, code]))}
          onChange={setChosen}
        />
      )}
      <Chart
        label={`${title}, ${asset}`}
        shape="line"
        times={parts.map((part) => Date.parse(part) / 1000)}
        series={[
          { name: words.incoming, ink: "good", values: incoming.map(Number), texts: incoming },
          { name: words.outgoing, ink: "accent", values: outgoing.map(Number), texts: outgoing },
        ]}
      />
    </>
  );
}

function Worth({ usd }: { usd: string | null }) {
  return (
    <span class="second">
      {usd === null ? (
        text.overview.unpriced
      ) : (
        <Amount amount={cutDecimals(usd, 2)} asset={text.overview.usd} />
      )}
    </span>
  );
}

function groupOf(row: Total, key: Exclude<Key, "asset">) {
  if (key === "label") return <Foreign text={row.label ?? text.statements.noLabel} />;
  if (key === "type") return row.type === undefined ? "–" : text.transactionType[row.type];
  return <span class="nowrap">{nameOf(row, key)}</span>;
}

function nameOf(row: Total, key: Key): string {
  if (key === "label") return row.label ?? "";
  if (key === "type") return row.type ?? "";
  if (key === "blockchain") return row.blockchain ?? "";
  return row.period ?? "";
}

/** The month, or its whole year where months are compared. Days, in UTC. */
function boundsOf(key: Key, month: string): Bounds {
  const [year, ordinal] = [Number(month.slice(0, 4)), Number(month.slice(5))];
  const dayOf = (monthsOn: number) => new Date(Date.UTC(year, monthsOn)).toISOString().slice(0, 10);
  return key === "month"
    ? { from: dayOf(0), to: dayOf(12) }
    : { from: dayOf(ordinal - 1), to: dayOf(ordinal) };
}

/** The names of all days or months between two days. */
function partsOf(unit: "day" | "month", { from, to }: Bounds): string[] {
  const length = unit === "day" ? 10 : 7;
  const names = new Set<string>();
  for (let at = Date.parse(from); at < Date.parse(to); at += 86_400_000)
    names.add(new Date(at).toISOString().slice(0, length));
  return [...names];
}
