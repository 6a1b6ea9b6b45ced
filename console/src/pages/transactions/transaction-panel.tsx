import { text } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Panel } from "../../ui/frame/panel.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { type Answer, useAnswer } from "../../wire/use-answer.ts";
import { TransactionDetail } from "./transaction-detail.tsx";

type Detail = Schema<"TransactionDetail"> & { business_id?: string };

type Shown = { id: string; back: string };

/** One transaction of the business itself, beside the list. */
export function TransactionPanel({ id, back }: Shown) {
  const asked = useAnswer(id, ["transactions", "deliveries"], (as) =>
    answered(
      api.GET("/transactions/{transaction_id}", {
        params: { path: { transaction_id: id } },
        ...as,
      }),
    ),
  );
  return <DetailPanel id={id} back={back} {...asked} />;
}

/** One transaction of any business, beside an operator's list. */
export function OwnedTransactionPanel({ id, back }: Shown) {
  const asked = useAnswer(id, ["transactions", "deliveries"], (as) =>
    answered(api.GET("/admin/transactions/{id}", { params: { path: { id } }, ...as })),
  );
  return <DetailPanel id={id} back={back} {...asked} />;
}

function DetailPanel({
  id,
  back,
  answer,
  again,
}: Shown & { answer: Answer<{ data: Detail }>; again: () => void }) {
  const type = answer.state === "ready" ? answer.value.data.type : null;
  return (
    <Panel
      title={type === null ? text.transactions.one : text.transactionType[type]}
      shownId={id}
      back={back}
    >
      <Answered answer={answer} again={again}>
        {({ data }) => <TransactionDetail of={data} />}
      </Answered>
    </Panel>
  );
}
