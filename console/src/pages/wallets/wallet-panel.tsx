import { text } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Panel } from "../../ui/frame/panel.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { answered, api } from "../../wire/api.ts";
import { type Answer, useAnswer } from "../../wire/use-answer.ts";
import { OwnedWalletDetail, WalletDetail } from "./wallet-detail.tsx";

type Shown = { id: string; back: string };

/** One wallet of the business itself, beside the list. */
export function WalletPanel({ id, back }: Shown) {
  const { answer, again } = useAnswer(id, ["wallets"], (as) =>
    answered(api.GET("/wallets/{wallet_id}", { params: { path: { wallet_id: id } }, ...as })),
  );
  return (
    <Panel title={<Foreign text={titleOf(answer)} />} shownId={id} back={back}>
      <Answered answer={answer} again={again}>
        {({ data }) => <WalletDetail of={data} />}
      </Answered>
    </Panel>
  );
}

/** One wallet of any business, beside an operator's list. */
export function OwnedWalletPanel({ id, back }: Shown) {
  const { answer, again } = useAnswer(id, ["wallets", "balance"], (as) =>
    answered(api.GET("/admin/wallets/{id}", { params: { path: { id } }, ...as })),
  );
  return (
    <Panel title={<Foreign text={titleOf(answer)} />} shownId={id} back={back}>
      <Answered answer={answer} again={again}>
        {({ data }) => <OwnedWalletDetail of={data} again={again} />}
      </Answered>
    </Panel>
  );
}

function titleOf(answer: Answer<{ data: { label: string | null } }>): string {
  return (answer.state === "ready" ? answer.value.data.label : null) ?? text.wallets.one;
}
