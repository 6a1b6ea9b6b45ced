import { countText } from "../../format/amount.ts";
import { timeText } from "../../format/time.ts";
import { fill, text } from "../../text/text.ts";
import { Figure } from "../../ui/data/figure.tsx";
import { Answered } from "../../ui/frame/answered.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { When } from "../../ui/show/when.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { FailuresCard } from "./failures-card.tsx";
import { HoursCards } from "./hours-cards.tsx";
import { QueueCard } from "./queue-card.tsx";
import { ReceiversCard } from "./receivers-card.tsx";
import { SlowestCard } from "./slowest-card.tsx";
import { WaitingCard } from "./waiting-card.tsx";

/** The deliveries that wait, business by business, and the receivers that are in trouble. */
export function OutboxPage() {
  const { answer, again } = useAnswer("status", ["outbox", "deliveries"], (as) =>
    answered(api.GET("/admin/status", as)),
  );
  const outbox = useAnswer("outbox", ["outbox", "deliveries"], (as) =>
    answered(api.GET("/admin/outbox", as)),
  );
  return (
    <Page title={text.outbox.title}>
      <Answered answer={answer} again={again} lines={2}>
        {({ data: { outbox: counts } }) => (
          <div class="grid-figures">
            <Figure name={text.outbox.waiting}>{countText(counts.waiting)}</Figure>
            <Figure name={text.outbox.held} more={text.outbox.heldMore}>
              {countText(counts.held)}
            </Figure>
            <Figure name={text.outbox.oldest}>
              {counts.oldest_waiting_at === null ? "–" : <When at={counts.oldest_waiting_at} />}
            </Figure>
          </div>
        )}
      </Answered>
      <Answered answer={outbox.answer} again={outbox.again}>
        {({ data }) => (
          <div class="stack">
            <QueueCard of={data.queue} />
            <p class="small muted">{fill(text.outbox.lookedAt, { time: timeText(data.since) })}</p>
            <HoursCards of={data.hours} />
            <FailuresCard rows={data.failures} />
            <WaitingCard rows={data.businesses} />
            <SlowestCard rows={data.receivers} />
          </div>
        )}
      </Answered>
      <ReceiversCard />
    </Page>
  );
}
