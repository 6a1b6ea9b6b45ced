import { useState } from "preact/hooks";
import { durationText } from "../../format/time.ts";
import { text } from "../../text/text.ts";
import { useAction } from "../../ui/act/use-action.ts";
import { Badge } from "../../ui/show/badge.tsx";
import { Code } from "../../ui/show/code.tsx";
import { answered, api } from "../../wire/api.ts";
import type { paths } from "../../wire/generated/api-paths.ts";
import { resultText } from "../parts/attempt-badge.tsx";
import { ChangeButton } from "../parts/change-button.tsx";

type Outcome =
  paths["/webhooks/{id}/test"]["post"]["responses"][200]["content"]["application/json"]["data"];

/** Sends a test now, and shows the receiver's answer. */
export function WebhookTest({ id }: { id: string }) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const { isBusy, run } = useAction(async () => {
    const { data } = await answered(api.POST("/webhooks/{id}/test", { params: { path: { id } } }));
    setOutcome(data);
  });
  return (
    <div class="stack-tight" role="status">
      <div class="row row-wrap">
        <ChangeButton
          needs={{ business: "webhooks" }}
          look="main"
          icon="deliveries"
          isBusy={isBusy}
          onClick={run}
        >
          {text.webhooks.test}
        </ChangeButton>
        {outcome !== null && (
          <>
            <Badge tone={outcome.delivered ? "good" : "bad"}>{resultText(outcome)}</Badge>
            <span class="muted">
              {outcome.delivered ? text.webhooks.heard : text.webhooks.notHeard} ·{" "}
              {durationText(outcome.latency_ms)}
            </span>
          </>
        )}
      </div>
      {outcome?.response != null && outcome.response !== "" && (
        <Code label={text.deliveries.answer}>{outcome.response}</Code>
      )}
    </div>
  );
}
