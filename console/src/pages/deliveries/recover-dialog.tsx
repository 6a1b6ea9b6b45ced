import { useState } from "preact/hooks";
import { daysBefore } from "../../format/time.ts";
import { fill, text } from "../../text/text.ts";
import { Confirm } from "../../ui/act/confirm.tsx";
import { Field } from "../../ui/act/field.tsx";
import { showToast } from "../../ui/act/toasts.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { readNotificationCounts } from "../parts/notification-counts.ts";

/** Queues again what was not heard in a time, after it has shown how much that is. */
export function RecoverDialog({ onClose }: { onClose: () => void }) {
  const [since, setSince] = useState(daysBefore(Date.now(), 1).slice(0, 16));
  const [until, setUntil] = useState(new Date().toISOString().slice(0, 16));
  const range = { since: `${since}:00.000Z`, until: `${until}:59.999Z` };
  const { answer } = useAnswer(JSON.stringify(range), ["deliveries"], async (as) => {
    const { total } = await readNotificationCounts(
      { from: range.since, to: range.until, bucket: "day" },
      as,
    );
    return recoverable(total);
  });
  const count = answer.state === "ready" && !answer.isStale ? answer.value : null;
  return (
    <Confirm
      title={text.recover.title}
      action={count === null ? text.recover.do : fill(text.recover.doCount, { count })}
      isDisabled={count === 0}
      onClose={onClose}
      onConfirm={async () => {
        const { data: webhook } = await answered(api.GET("/webhooks"));
        const { data } = await answered(
          api.POST("/webhooks/{id}/recover", {
            params: { path: { id: webhook.id } },
            body: range,
          }),
        );
        const count = "queued" in data ? data.queued : data.count;
        showToast("good", fill(text.recover.done, { count }));
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

function recoverable(total: { held: number; exhausted: number; cancelled: number }): number {
  return total.held + total.exhausted + total.cancelled;
}
