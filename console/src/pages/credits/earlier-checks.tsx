import { countText } from "../../format/amount.ts";
import { timeText } from "../../format/time.ts";
import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { When } from "../../ui/show/when.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import type { Schema } from "../../wire/api.ts";
import type { Answer } from "../../wire/use-answer.ts";

type Check = Schema<"CreditCheck">;

const words = text.credits;

const columns: readonly Column<Check>[] = [
  { name: "made", head: text.signed.made, cell: ({ created_at: at }) => <When at={at} /> },
  {
    name: "period",
    head: text.period.name,
    from: "middle",
    cell: ({ from, to }) => (
      <>
        <span class="nowrap">{timeText(from)} –</span> <span class="nowrap">{timeText(to)}</span>
      </>
    ),
  },
  {
    name: "lines",
    head: words.lineCount,
    isEnd: true,
    cell: ({ credits }) => countText(credits),
  },
  {
    name: "differ",
    head: words.differing,
    isEnd: true,
    cell: ({ counts: { matches: _, ...others } }) =>
      countText(Object.values(others).reduce((sum, count) => sum + count, 0)),
  },
];

type Shown = {
  answer: Answer<{ data: readonly Check[] }>;
  again: () => void;
  chosenId: string | null;
};

/** The comparisons that were made, each with the way back to it. Nothing before the first one. */
export function EarlierChecks({ answer, again, chosenId }: Shown) {
  if (answer.state === "ready" && answer.value.data.length === 0) return null;
  return (
    <Card title={words.earlier} isFull={true}>
      <Answered answer={answer} again={again} lines={2}>
        {({ data }) => (
          <Table
            caption={words.earlier}
            columns={columns}
            rows={data}
            idOf={({ id }) => id}
            hrefOf={({ id }) => addressOf("/credits", { check: id })}
            chosenId={chosenId}
          />
        )}
      </Answered>
    </Card>
  );
}
