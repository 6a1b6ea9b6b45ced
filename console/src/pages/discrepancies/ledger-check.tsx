import { useState } from "preact/hooks";
import { fillCount, text, worded } from "../../text/text.ts";
import { Button } from "../../ui/act/button.tsx";
import { useAction } from "../../ui/act/use-action.ts";
import { Banner } from "../../ui/frame/banner.tsx";
import { unturned } from "../../ui/show/turned.ts";
import { answered, api, type Schema } from "../../wire/api.ts";

type Outcome = { entries: number; findings: Schema<"LedgerFinding">[] };

/** Makes the ledger check itself: its sums, and the seals of its journal. */
export function LedgerCheck() {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const { isBusy, run } = useAction(async () => {
    const { data } = await answered(api.GET("/admin/ledger/check"));
    setOutcome(data);
  });
  return (
    <div class="stack-tight" role="status">
      <div>
        <Button isDisabled={isBusy} onClick={run}>
          {text.discrepancies.check}
        </Button>
      </div>
      {outcome !== null && (
        <Banner tone={outcome.findings.length === 0 ? "good" : "bad"}>
          {fillCount(
            outcome.findings.length === 0
              ? text.discrepancies.checkWhole
              : text.discrepancies.checkFindings,
            outcome.entries,
            { found: outcome.findings.length },
          )}
          {outcome.findings.length > 0 && (
            <ul>
              {outcome.findings.map(({ kind, what, values }) => (
                <li class="break" key={what}>
                  {unturned(worded(text.ledgerFinding, kind, { ...values, sentence: what }))}
                </li>
              ))}
            </ul>
          )}
        </Banner>
      )}
    </div>
  );
}
