import { text, wordOf } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Panel } from "../../ui/frame/panel.tsx";
import { answered, api } from "../../wire/api.ts";
import { type Answer, useAnswer } from "../../wire/use-answer.ts";
import { DeliveryDetail } from "./delivery-detail.tsx";
import type { Sent } from "./sent.ts";

type Shown = { id: string; back: string };

/** One notification of the business itself, beside the list. */
export function DeliveryPanel({ id, back }: Shown) {
  const params = { path: { id } };
  const asked = useAnswer(id, ["deliveries"], (as) =>
    answered(api.GET("/notifications/{id}", { params, ...as })),
  );
  const resend = () => answered(api.POST("/notifications/{id}/redeliver", { params }));
  return <DetailPanel {...{ id, back, resend }} {...asked} />;
}

/** One notification of any business, beside an operator's list. */
export function OwnedDeliveryPanel({ id, back }: Shown) {
  const params = { path: { id } };
  const asked = useAnswer(id, ["deliveries"], (as) =>
    answered(api.GET("/admin/notifications/{id}", { params, ...as })),
  );
  const resend = () => answered(api.POST("/admin/notifications/{id}/redeliver", { params }));
  return <DetailPanel {...{ id, back, resend }} {...asked} />;
}

type Asked = {
  resend: () => Promise<unknown>;
  answer: Answer<{ data: Sent }>;
  again: () => void;
};

function DetailPanel({ id, back, resend, answer, again }: Shown & Asked) {
  const event = answer.state === "ready" ? answer.value.data.event : null;
  return (
    <Panel
      title={event === null ? text.deliveries.one : wordOf(text.event, event)}
      shownId={id}
      back={back}
    >
      <Answered answer={answer} again={again}>
        {({ data }) => <DeliveryDetail of={data} resend={resend} again={again} />}
      </Answered>
    </Panel>
  );
}
