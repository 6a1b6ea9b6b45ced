import { useState } from "preact/hooks";
import { daysBefore } from "../../format/time.ts";
import { fill, text } from "../../text/text.ts";
import { Confirm } from "../../ui/act/confirm.tsx";
import { Field } from "../../ui/act/field.tsx";
import { showToast } from "../../ui/act/toasts.tsx";
import { answered, api } from "../../wire/api.ts";
import { type Asking, useAnswer } from "../../wire/use-answer.ts";

/** Queues again what was not heard in a time, after it has shown how much that is. */
export function RecoverDialog({ onClose }: { onClose: () => void }) {
  const [since, setSince] = useState(daysBefore(Date.now(), 1).slice(0, 16));
  const [until, setUntil] = useState(new Date().toISOString().slice(0, 16));
  const range = { since: `${since}:00.000Z`, until: `${until}:59.999Z` };
  // The preview asks the very question that the recovery answers.
  const { answer } = useAnswer(JSON.stringify(range), ["deliveries"], (as) =>
    recover({ ...range, preview: true }, as),
  );
  const count = answer.state === "ready" && !answer.isStale ? answer.value : null;
  return (
    <Confirm
      title={text.recover.title}
      action={count === null ? text.recover.do : fill(text.recover.doCount, { count })}
      isDisabled={count === 0}
      onClose={onClose}
      onConfirm={async () => {
        showToast("good", fill(text.recover.done, { count: await recover(range) }));
      }}
    >
      <p class="muted">{text.recover.what}</p>
      <Field label={text.recover.since} type="datetime-local" value={since} onInput={setSince} />
      <Field label={text.recover.until} type="datetime-local" value={until} onInput={setUntil} />
      {count !== null && (
        <p role="status">
          <strong>{fill(text.recover.count, { count })}</strong>
        </p>
      )}
    </Confirm>
  );
}

/** Recovers at the first webhook, or previews that, and answers how many notifications it is. */
async function recover(
  body: { since: string; until: string; preview?: boolean },
  as: Partial<Asking> = {},
): Promise<number> {
  const { data: webhook } = await answered(api.GET("/webhooks", as));
  const params = { path: { id: webhook.id } };
  const { data } = await answered(api.POST("/webhooks/{id}/recover", { params, body, ...as }));
  return "queued" in data ? data.queued : data.count;
}
