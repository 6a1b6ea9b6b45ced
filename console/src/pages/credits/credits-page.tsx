import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { useAction } from "../../ui/act/use-action.ts";
import { Card } from "../../ui/frame/card.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { ChangeButton } from "../parts/change-button.tsx";
import { CheckedCredits } from "./checked-credits.tsx";

/** Compares the credits of a business with the ledger, and says what to do of each difference. */
export function CreditsPage() {
  const [csv, setCsv] = useState("");
  const [check, setCheck] = useState<Schema<"CreditCheck"> | null>(null);
  const { isBusy, run } = useAction(async () => {
    const { data } = await answered(
      api.POST("/reconciliations", {
        body: csv,
        bodySerializer: (body) => body,
        headers: { "content-type": "text/csv" },
      }),
    );
    setCheck(data);
  });
  const words = text.credits;
  return (
    <Page title={words.title} lead={words.lead}>
      <Card>
        <div class="stack">
          <label class="field">
            <span>{text.import.file}</span>
            <input
              class="input"
              type="file"
              accept=".csv,text/csv"
              onChange={(event) => {
                const [file] = event.currentTarget.files ?? [];
                void file?.text().then(setCsv);
              }}
            />
          </label>
          <label class="field">
            <span>{words.csv}</span>
            <textarea
              class="input mono"
              value={csv}
              spellcheck={false}
              placeholder={words.example}
              onInput={(event) => setCsv(event.currentTarget.value)}
            />
          </label>
          <div>
            <ChangeButton look="main" isBusy={isBusy || csv.trim() === ""} onClick={run}>
              {words.compare}
            </ChangeButton>
          </div>
        </div>
      </Card>
      {check !== null && <CheckedCredits key={check.id} of={check} />}
    </Page>
  );
}
