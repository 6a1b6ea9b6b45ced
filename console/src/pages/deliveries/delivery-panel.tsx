import { text, wordOf } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Panel } from "../../ui/frame/panel.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { DeliveryDetail } from "./delivery-detail.tsx";

/** One notification, beside the list. */
export function DeliveryPanel({ id, back }: { id: string; back: string }) {
  const { answer, again } = useAnswer(id, ["deliveries"], (as) =>
    answered(api.GET("/notifications/{id}", { params: { path: { id } }, ...as })),
  );
  const event = answer.state === "ready" ? answer.value.data.event : null;
  return (
    <Panel
      title={event === null ? text.deliveries.one : wordOf(text.event, event)}
      shownId={id}
      back={back}
    >
      <Answered answer={answer} again={again}>
        {({ data }) => <DeliveryDetail of={data} again={again} />}
      </Answered>
    </Panel>
  );
}
