import { fill, text } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { Amount } from "../../ui/show/amount.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";

type Total = Schema<"Total">;

const columns: readonly Column<Total>[] = [
  {
    name: "label",
    head: text.keys.label,
    cell: ({ label, asset }) => (
      <>
        <Foreign text={label ?? text.statements.noLabel} />
        <strong class="second until-middle">{asset}</strong>
      </>
    ),
  },
  {
    name: "asset",
    head: text.overview.asset,
    from: "middle",
    cell: ({ asset }) => <strong>{asset}</strong>,
  },
  ...(["in", "out"] as const).map(
    (name): Column<Total> => ({
      name,
      head: text.statements.columns[name === "in" ? "incoming" : "outgoing"],
      isEnd: true,
      cell: ({ completed }) => <Amount amount={completed[name]} />,
    }),
  ),
];

/** The money in and out of a month, such as `2026-01`, by the labels of the wallets. */
export function LabelTotals({ month }: { month: string }) {
  const { answer, again } = useAnswer(month, ["transactions"], (as) => {
    const query = { month, by: "label" };
    return answered(api.GET("/totals", { params: { query }, ...as }));
  });
  return (
    <Card title={fill(text.statements.byLabel, { month })} isFull={true}>
      <Answered answer={answer} again={again} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon="statements" title={text.statements.nothing} />
          ) : (
            <Table
              caption={fill(text.statements.byLabel, { month })}
              columns={columns}
              rows={data}
              idOf={({ label, asset }) => `${asset} ${label ?? ""}`}
            />
          )
        }
      </Answered>
    </Card>
  );
}
