import { partsOfAmount } from "../../format/amount.ts";
import { addressOf } from "../../route/place.ts";
import { fill, text } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { answered, api } from "../../wire/api.ts";
import type { paths } from "../../wire/generated/api-paths.ts";
import { useAnswer } from "../../wire/use-answer.ts";

type Answer = paths["/open-matters"]["get"]["responses"][200]["content"]["application/json"];
type Matter = Answer["data"]["open"][number];

const columns: readonly Column<Matter>[] = [
  {
    name: "matter",
    head: text.openMatters.matter,
    cell: ({ kind, blockchain, asset, values }) => (
      <>
        {fill(text.openMatters.kinds[kind], { chain: blockchain ?? "", asset: asset ?? "" })}
        {kind === "differs" && (
          <span class="second">
            {fill(text.openMatters.difference, { asset: asset ?? "", ...shownValues(values) })}
          </span>
        )}
      </>
    ),
  },
  {
    name: "remedy",
    head: text.openMatters.remedy,
    cell: ({ kind }) => text.openMatters.remedies[kind],
  },
  {
    name: "about",
    head: text.openMatters.about,
    isHeadHidden: true,
    isEnd: true,
    cell: ({ transaction_id: transaction, wallet_id: wallet }) =>
      transaction !== null ? (
        <a href={addressOf(`/transactions/${transaction}`)}>{text.deliveries.toTransaction}</a>
      ) : (
        wallet !== null && <a href={addressOf(`/wallets/${wallet}`)}>{text.openMatters.toWallet}</a>
      ),
  },
];

/** Amounts and heights in the digits of the page's language. */
function shownValues(values: Matter["values"]): Matter["values"] {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const { sign, whole, fraction } = partsOfAmount(String(value));
      return [name, `${sign}${whole}${fraction}`];
    }),
  );
}

/** The matters that keep a month, such as `2026-01`, open, as far as the ledger knows them. */
export function OpenMatters({ month }: { month: string }) {
  // It costs more than a list, and a month does not close within a second: no topic asks again.
  const { answer, again } = useAnswer(month, [], (as) =>
    answered(api.GET("/open-matters", { params: { query: { month } }, ...as })),
  );
  const title = fill(text.openMatters.title, { month });
  const idOf = (one: Matter) =>
    [one.kind, one.blockchain, one.transaction_id, one.wallet_id, one.asset].join(" ");
  return (
    <Card title={title} isFull={true}>
      <Answered answer={answer} again={again} lines={3}>
        {({ data: { open } }) =>
          open.length === 0 ? (
            <Empty icon="statements" title={text.openMatters.none}>
              {text.openMatters.noneMore}
            </Empty>
          ) : (
            <Table caption={title} columns={columns} rows={open} idOf={idOf} />
          )
        }
      </Answered>
    </Card>
  );
}
