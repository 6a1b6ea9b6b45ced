import { text } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Panel } from "../../ui/frame/panel.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { WalletDetail } from "./wallet-detail.tsx";

/** One wallet, beside the list. */
export function WalletPanel({ id, back }: { id: string; back: string }) {
  const { answer, again } = useAnswer(id, ["wallets"], (as) =>
    answered(api.GET("/wallets/{wallet_id}", { params: { path: { wallet_id: id } }, ...as })),
  );
  const label = answer.state === "ready" ? answer.value.data.label : null;
  return (
    <Panel title={<Foreign text={label ?? text.wallets.one} />} shownId={id} back={back}>
      <Answered answer={answer} again={again}>
        {({ data }) => <WalletDetail of={data} />}
      </Answered>
    </Panel>
  );
}
