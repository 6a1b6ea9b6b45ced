import { text, wordOf } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Panel } from "../../ui/frame/panel.tsx";
import { answered, api } from "../../wire/api.ts";
import { type Answer, useAnswer } from "../../wire/use-answer.ts";
import { DeliveryDetail } from "./delivery-detail.tsx";
import { type AtWebhook, type Sent, sentAt, type ToSend } from "./sent.ts";

type Shown = {
  id: string;
  back: string;
  /** The webhook that the list is of. Null: the first. */
  at: AtWebhook | null;
  /** Sends a notification again to that webhook. */
  send: (one: ToSend) => Promise<unknown>;
};

/** One notification of the business itself, beside the list. */
export function DeliveryPanel(shown: Shown) {
  const { id } = shown;
  const asked = useAnswer(id, ["deliveries"], (as) =>
    answered(api.GET("/notifications/{id}", { params: { path: { id } }, ...as })),
  );
  return <DetailPanel {...shown} {...asked} />;
}

/** One notification of any business, beside an operator's list. */
export function OwnedDeliveryPanel(shown: Shown) {
  const { id } = shown;
  const asked = useAnswer(id, ["deliveries"], (as) =>
    answered(api.GET("/admin/notifications/{id}", { params: { path: { id } }, ...as })),
  );
  return <DetailPanel {...shown} {...asked} />;
}

type Asked = { answer: Answer<{ data: Sent }>; again: () => void };

function DetailPanel({ id, back, at, send, answer, again }: Shown & Asked) {
  const event = answer.state === "ready" ? answer.value.data.event : null;
  return (
    <Panel
      title={event === null ? text.deliveries.one : wordOf(text.event, event)}
      shownId={id}
      back={back}
    >
      <Answered answer={answer} again={again}>
        {({ data }) => (
          <DeliveryDetail
            of={sentAt(data, at)}
            resend={() => send({ id: data.id, webhook_id: at?.webhookId ?? null })}
            again={again}
          />
        )}
      </Answered>
    </Panel>
  );
}
