import { durationText } from "../../format/time.ts";
import { fill, text } from "../../text/text.ts";
import { Code } from "../../ui/show/code.tsx";
import { DueAt, When } from "../../ui/show/when.tsx";
import type { Schema } from "../../wire/api.ts";
import { AttemptBadge } from "../parts/attempt-badge.tsx";
import { hasSeveral, type Sent } from "./sent.ts";

type Attempt = Sent["attempts"][number];
type Shown = { of: readonly Attempt[]; status: Schema<"Notification">["status"] };

/** Each attempt with its answer, the newest first. */
export function Attempts({ of, status }: Shown) {
  const newestFirst = [...of].reverse();
  const isOfSeveral = hasSeveral({ attempts: of });
  if (newestFirst.length === 0) return <p class="muted">{text.deliveries.notAttempted}</p>;
  return (
    <ol>
      {newestFirst.some(({ error }) => error === "withheld") && (
        <li class="small muted">{text.deliveries.withheld}</li>
      )}
      {newestFirst.map((attempt, place) => (
        <li class="attempt" key={`${attempt.number} ${attempt.at}`}>
          <div class="attempt-line">
            <strong>{fill(text.deliveries.attempt, { number: attempt.number })}</strong>
            <AttemptBadge of={attempt} />
            <span class="muted">{durationText(attempt.latency_ms)}</span>
            <span class="push faint">
              <When at={attempt.at} />
            </span>
          </div>
          {isOfSeveral && attempt.url !== null && <p class="small muted break">{attempt.url}</p>}
          {attempt.response !== null && attempt.response !== "" && (
            <Code label={text.deliveries.answer}>{attempt.response}</Code>
          )}
          {place === 0 && status === "waiting" && attempt.next_attempt_at !== null && (
            <p class="small muted">
              {text.deliveries.next} <DueAt at={attempt.next_attempt_at} />
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}
