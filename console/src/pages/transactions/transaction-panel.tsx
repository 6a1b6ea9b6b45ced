import { text } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Panel } from "../../ui/frame/panel.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { TransactionDetail } from "./transaction-detail.tsx";

/** One transaction, beside the list. */
export function TransactionPanel({ id, back }: { id: string; back: string }) {
  const { answer, again } = useAnswer(id, ["transactions", "deliveries"], (as) =>
    answered(
      api.GET("/transactions/{transaction_id}", {
        params: { path: { transaction_id: id } },
        ...as,
      }),
    ),
  );
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
