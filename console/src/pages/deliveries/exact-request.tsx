import { useState } from "preact/hooks";
import { timeText } from "../../format/time.ts";
import { fill, text } from "../../text/text.ts";
import { Choice } from "../../ui/act/choice.tsx";
import { CopyButton } from "../../ui/act/copy-button.tsx";
import { Section } from "../../ui/frame/section.tsx";
import { Code } from "../../ui/show/code.tsx";
import { curlOf, hasSeveral, headOf, type Sent, type SentAttempt, verifierOf } from "./sent.ts";

/** The request of one attempt as it was sent: its head, its bytes, and code that verifies it. */
export function ExactRequest({ of }: { of: Sent }) {
  const [chosen, setChosen] = useState("");
  const newest = of.attempts.at(-1);
  const attempt = chosen === "" ? newest : of.attempts[Number(chosen)];
  const words = text.request;
  const isOfSeveral = hasSeveral(of);
  const nameOf = (one: SentAttempt) =>
    isOfSeveral ? `${attemptText(one)}, ${one.url ?? ""}` : attemptText(one);
  return (
    <Section title={words.title}>
      {attempt !== undefined && (
        <>
          {newest !== undefined && of.attempts.length > 1 && (
            <Choice
              label={words.of}
              value={chosen}
              any={nameOf(newest)}
              options={Object.fromEntries(
                of.attempts.slice(0, -1).map((one, place) => [String(place), nameOf(one)]),
              )}
              onChange={setChosen}
            />
          )}
          <Code label={text.deliveries.headers}>{headOf(of, attempt)}</Code>
          <p class="small muted">{noteOn(attempt)}</p>
        </>
      )}
      <Code label={text.deliveries.body}>{of.body}</Code>
      {attempt !== undefined && (
        <>
          <details class="more">
            <summary>{words.verify}</summary>
            <Code label={words.verify}>{verifierOf(of, attempt)}</Code>
          </details>
          <div class="row small muted">
            {text.deliveries.curl}
            <CopyButton value={curlOf(of, attempt)} what="curl" />
            {words.verify}
            <CopyButton value={verifierOf(of, attempt)} what={words.verify} />
          </div>
        </>
      )}
    </Section>
  );
}

function attemptText({ number, at }: SentAttempt): string {
  return `${fill(text.deliveries.attempt, { number })}, ${timeText(at)}`;
}

function noteOn({ request, error }: SentAttempt): string {
  if (request === undefined) return text.request.notForOperators;
  if (request === null)
    return error === "unrecorded" ? text.request.unrecorded : text.request.notKept;
  return request.is_secret_gone ? text.request.secretGone : text.request.masked;
}
