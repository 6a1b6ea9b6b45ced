import { text } from "../../text/text.ts";
import { Figure } from "../../ui/data/figure.tsx";
import { Answered } from "../../ui/frame/answered.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { When } from "../../ui/show/when.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { ReceiversCard } from "./receivers-card.tsx";
import { Redeliver } from "./redeliver.tsx";
import { WaitingCard } from "./waiting-card.tsx";

/** What waits to be sent, whose it is, and which receivers are in trouble. */
export function OutboxPage() {
  const { answer, again } = useAnswer("status", ["outbox", "deliveries"], (as) =>
    answered(api.GET("/admin/status", as)),
  );
  return (
    <Page title={text.outbox.title} actions={<Redeliver />}>
      <Answered answer={answer} again={again} lines={2}>
        {({ data: { outbox } }) => (
          <div class="grid-figures">
            <Figure name={text.outbox.waiting}>{outbox.waiting}</Figure>
            <Figure name={text.outbox.held} more={text.outbox.heldMore}>
              {outbox.held}
            </Figure>
            <Figure name={text.outbox.oldest}>
              {outbox.oldest_waiting_at === null ? "–" : <When at={outbox.oldest_waiting_at} />}
            </Figure>
          </div>
        )}
      </Answered>
      <WaitingCard />
      <ReceiversCard />
    </Page>
  );
}
