import { useState } from "preact/hooks";
import { timeText } from "../../format/time.ts";
import { fill, text, worded } from "../../text/text.ts";
import { Choice } from "../../ui/act/choice.tsx";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { Amount } from "../../ui/show/amount.tsx";
import { English, Worded } from "../../ui/show/english.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { wordIn } from "../../wire/given.ts";
import { type Asking, useAnswer } from "../../wire/use-answer.ts";

type Line = Schema<"CheckedCredit">;
type Verdict = Line["verdict"];

const verdicts = Object.keys(text.credits.verdicts).flatMap(
  (word) => wordIn(text.credits.verdicts, word) ?? [],
);

// The largest page of a list.
const most = 500;

const columns: readonly Column<Line>[] = [
  {
    name: "reference",
    head: text.wallets.reference,
    cell: ({ reference, transaction_id: id, text: malformed }) => (
      <>
        <Foreign text={reference ?? malformed ?? "–"} />
        {id !== null && (
          <a class="second" href={`/console/transactions/${id}`}>
            {text.deliveries.toTransaction}
          </a>
        )}
      </>
    ),
  },
  {
    name: "verdict",
    head: text.credits.verdict,
    cell: ({ verdict }) => text.credits.verdicts[verdict],
  },
  {
    name: "credited",
    head: text.credits.credited,
    isEnd: true,
    cell: ({ amount, asset }) =>
      amount === null ? "–" : <Amount amount={amount} asset={asset ?? ""} />,
  },
  {
    name: "received",
    head: text.credits.received,
    isEnd: true,
    cell: ({ received }) =>
      received === null ? "–" : <Amount amount={received.amount} asset={received.asset} />,
  },
  {
    name: "why",
    head: text.credits.why,
    cell: (line) => <Why of={line} />,
  },
];

const sums: readonly Column<Schema<"CreditedAsset">>[] = [
  {
    name: "asset",
    head: text.overview.asset,
    cell: ({ asset }) => asset ?? text.credits.unknownCodes,
  },
  ...(["credited", "received", "difference"] as const).map((name) => ({
    name,
    head: text.credits[name],
    isEnd: true,
    cell: ({ [name]: amount }: Schema<"CreditedAsset">) =>
      amount === null ? "–" : <Amount amount={amount} />,
  })),
];

/** The likely cause and the remedy, by the word for the cause. The API's own words are English. */
function Why({ of }: { of: Line }) {
  const { cause, likely_cause, next_step } = of;
  const words: Readonly<Record<string, { cause: string; nextStep: string }>> = text.creditCause;
  const known = words[cause ?? ""];
  return (
    <>
      {known?.cause ?? <English text={likely_cause ?? ""} />}
      {of.problem !== null && (
        <>
          {" "}
          <Problem {...{ ...of, problem: of.problem }} />
        </>
      )}
      {next_step !== null && (
        <span class="second">{known?.nextStep ?? <English text={next_step} />}</span>
      )}
    </>
  );
}

/** The fault of a malformed line. An earlier release stored only the English words. */
function Problem({
  problem,
  problem_code: code,
  problem_values: values,
}: Line & { problem: string }) {
  const said = worded(text.creditProblem, code ?? "", { ...values, sentence: problem });
  return <Worded of={{ said, sentence: problem }} />;
}

/** The sums of a comparison by asset, and the lines that differ, or those of one verdict. */
export function CheckedCredits({ of }: { of: Schema<"CreditCheck"> }) {
  const [chosen, setChosen] = useState("");
  const verdict = wordIn(text.credits.verdicts, chosen);
  const { answer, again } = useAnswer(`${of.id} ${chosen}`, [], async (as) => {
    const asked = verdict === undefined ? differingIn(of) : [verdict];
    const pages = await Promise.all(asked.map((one) => readLines(of.id, one, as)));
    return {
      data: pages.flatMap(({ data }) => data),
      next_cursor: null,
      isWhole: pages.every(({ next_cursor: next }) => next === null),
    };
  });
  return (
    <>
      <Card
        title={fill(text.credits.sums, { from: timeText(of.from), to: timeText(of.to) })}
        isFull={true}
      >
        <Table
          caption={text.credits.sumsCaption}
          columns={sums}
          rows={of.assets}
          idOf={({ asset }) => asset ?? ""}
        />
      </Card>
      <div class="filters">
        <Choice
          label={text.credits.verdict}
          value={chosen}
          any={text.credits.anyVerdict}
          options={text.credits.verdicts}
          onChange={setChosen}
        />
      </div>
      <ListCard
        answer={answer}
        again={again}
        empty={<Empty icon="credits" title={text.credits.none} />}
      >
        {(rows) => (
          <Table
            caption={text.credits.title}
            columns={columns}
            rows={rows}
            idOf={(line) => `${line.line ?? ""} ${line.transaction_id ?? ""}`}
          />
        )}
      </ListCard>
      {answer.state === "ready" && !answer.value.isWhole && (
        <p class="pager">{fill(text.credits.part, { count: most })}</p>
      )}
    </>
  );
}

/** The verdicts on lines that do not match, as far as there are any. */
function differingIn({ counts }: Schema<"CreditCheck">): Verdict[] {
  return verdicts.filter((one) => one !== "matches" && counts[one] > 0);
}

function readLines(id: string, verdict: Verdict, as: Asking) {
  const params = { path: { reconciliation_id: id }, query: { verdict, limit: most } };
  return answered(api.GET("/reconciliations/{reconciliation_id}", { params, ...as }));
}
