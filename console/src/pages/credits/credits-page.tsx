import { useState } from "preact/hooks";
import { useFilters } from "../../route/filters.ts";
import { fill, text } from "../../text/text.ts";
import { Field } from "../../ui/act/field.tsx";
import { FileField } from "../../ui/act/file-field.tsx";
import { useAction } from "../../ui/act/use-action.ts";
import { useShown } from "../../ui/act/use-shown.ts";
import { Card } from "../../ui/frame/card.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { ChangeButton } from "../parts/change-button.tsx";
import { CheckedCredits } from "./checked-credits.tsx";
import { EarlierChecks } from "./earlier-checks.tsx";

/** The most comparisons that are listed. */
const limit = 50;

/** Compares the credits of a business with the ledger, and says what to do of each difference. */
export function CreditsPage() {
  const [lines, setLines] = useState("");
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  const [made, setMade] = useState<Schema<"CreditCheck"> | null>(null);
  const isShown = useShown();
  const { filters, change } = useFilters(["check"]);
  const { answer, again } = useAnswer("checks", [], (as) =>
    answered(api.GET("/reconciliations", { params: { query: { limit } }, ...as })),
  );
  const { isBusy, run } = useAction(async () => {
    const { data } = await answered(
      api.POST("/reconciliations", {
        params: { query: { ...(from === "" ? {} : { from }), ...(to === "" ? {} : { to }) } },
        body: lines,
        bodySerializer: (body) => body,
        headers: { "content-type": typeOf(lines) },
      }),
    );
    // Another page has an address of its own.
    if (!isShown.current) return;
    setMade(data);
    again();
    // The address names it, so that the way back from one of its lines leads here.
    change("check", data.id);
  });
  const words = text.credits;
  const isKnown = answer.state === "ready" && !answer.isStale;
  const earlier = answer.state === "ready" ? answer.value.data : [];
  const check = [...(made === null ? [] : [made]), ...earlier].find(
    ({ id }) => id === filters.check,
  );
  return (
    <Page title={words.title} lead={words.lead}>
      <Card>
        <div class="stack">
          <FileField
            label={text.import.file}
            accept=".csv,.jsonl,.ndjson,text/csv,application/x-ndjson"
            onText={setLines}
          />
          <label class="field">
            <span>{words.lines}</span>
            <textarea
              class="input mono"
              value={lines}
              spellcheck={false}
              placeholder={words.example}
              onInput={(event) => setLines(event.currentTarget.value)}
            />
          </label>
          <p class="small muted">{words.period}</p>
          <div class="filters">
            <Field
              label={fill(text.common.from, { zone: "UTC" })}
              type="date"
              value={from}
              onInput={setFrom}
            />
            <Field
              label={fill(text.common.to, { zone: "UTC" })}
              type="date"
              value={to}
              onInput={setTo}
            />
          </div>
          <div>
            <ChangeButton
              needs={{ business: "credits" }}
              look="main"
              isBusy={isBusy || lines.trim() === ""}
              onClick={run}
            >
              {words.compare}
            </ChangeButton>
          </div>
        </div>
      </Card>
      {check !== undefined && <CheckedCredits key={check.id} of={check} />}
      {check === undefined && filters.check !== undefined && isKnown && (
        <Card>
          <p class="muted">{words.notAmong}</p>
        </Card>
      )}
      <EarlierChecks answer={answer} again={again} chosenId={filters.check ?? null} />
    </Page>
  );
}

/** The form of the lines: a line of JSON begins with a brace, and no name of a column does. */
function typeOf(lines: string): "application/x-ndjson" | "text/csv" {
  return lines.trimStart().startsWith("{") ? "application/x-ndjson" : "text/csv";
}
