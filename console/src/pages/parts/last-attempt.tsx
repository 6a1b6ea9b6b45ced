import { fillCount, text } from "../../text/text.ts";
import { Foreign } from "../../ui/show/foreign.tsx";
import type { Schema } from "../../wire/api.ts";
import { AttemptBadge } from "./attempt-badge.tsx";

type Shown = Pick<Schema<"Notification">, "last_attempt" | "attempt_count">;

/** The last attempt of a notification: its result, and the answer or else the URL. */
export function LastAttempt({ of: { last_attempt: last, attempt_count: count } }: { of: Shown }) {
  if (last === null) return <span class="faint">–</span>;
  return (
    <>
      <AttemptBadge of={last} />{" "}
      {count > 1 && <span class="faint nowrap">{fillCount(text.course.attempts, count)}</span>}
      <span class="second">
        <Foreign text={saidBy(last)} />
      </span>
    </>
  );
}

/** The answer of a receiver that did not accept it, where there is one; else the URL. */
function saidBy({ status_code: code, response, url }: NonNullable<Shown["last_attempt"]>): string {
  const isAccepted = code !== null && code >= 200 && code < 300;
  const said = isAccepted ? null : response;
  return said === null || said === "" ? (url ?? "") : said;
}
