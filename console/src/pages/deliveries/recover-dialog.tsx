import { useState } from "preact/hooks";
import { wait } from "../../browser/wait.ts";
import {
  boundsOf,
  isUnfinished,
  minuteText,
  shownMinute,
  writtenMinute,
} from "../../format/period.ts";
import { daysBefore } from "../../format/time.ts";
import { chosenZone, zoneOf } from "../../format/zone.ts";
import { fill, fillCount, text } from "../../text/text.ts";
import { Choice } from "../../ui/act/choice.tsx";
import { Confirm } from "../../ui/act/confirm.tsx";
import { Field } from "../../ui/act/field.tsx";
import { showToast } from "../../ui/act/toasts.tsx";
import { useShown } from "../../ui/act/use-shown.ts";
import { faultText } from "../../ui/show/fault-text.ts";
import { answered, api, type Schema } from "../../wire/api.ts";
import { wordIn } from "../../wire/given.ts";
import { type Asking, useAnswer } from "../../wire/use-answer.ts";
import { anyWebhook } from "./sent.ts";

/** The time between two questions for the progress, in ms. */
const everyMs = 1_000;

type Shown = {
  /** The webhook that is to hear of it, as the list names it: see idsOf. */
  webhookId: string | undefined;
  onClose: () => void;
};

/**
 * Queues again what was not heard in a time, after it has shown how much that is. Shows how far it
 * is, for as long as it is open.
 */
export function RecoverDialog({ webhookId, onClose }: Shown) {
  const [since, setSince] = useState(daysBefore(Date.now(), 1).slice(0, 16));
  const [until, setUntil] = useState(minuteText(Date.now()));
  const [period, setPeriod] = useState("");
  const zone = zoneOf(chosenZone());
  const inLabel = { zone: text.zone.inLabel[chosenZone()] };
  const choose = (value: string) => {
    const named = wordIn(text.period.one, value);
    setPeriod(value);
    if (named === undefined) return;
    const now = Date.now();
    const { from, to = minuteText(now) } = boundsOf(named, now, zone);
    setSince(from);
    setUntil(to);
  };
  const [progress, setProgress] = useState<{ queued: number; of: number | null } | null>(null);
  const isOpen = useShown();
  const range = { since: `${since}:00.000Z`, until: `${until}:59.999Z` };
  // The preview asks the very question that the recovery answers.
  const { answer } = useAnswer(JSON.stringify(range), null, (as) => preview(webhookId, range, as));
  const found = answer.state === "ready" && !answer.isStale ? answer.value : null;
  const show = (queued: number) =>
    setProgress({ queued, of: found?.more === false ? Math.max(found.count, queued) : null });
  const confirm = async () => {
    const { state, queued } = await recover(webhookId, range, { isOpen, show });
    showToast(state === "failed" ? "bad" : "good", fillCount(text.recover[state], queued));
  };
  return (
    <Confirm
      title={text.recover.title}
      action={
        found === null
          ? text.recover.do
          : fillCount(found.more ? text.recover.doAtLeast : text.recover.doCount, found.count)
      }
      isDisabled={found?.count === 0 && !found.more}
      onClose={onClose}
      onConfirm={confirm}
    >
      <p class="muted">{text.recover.what}</p>
      <Choice
        label={text.period.name}
        value={period}
        any={text.period.custom}
        options={text.period.one}
        onChange={choose}
      />
      {(
        [
          [text.recover.since, since, setSince],
          [text.recover.until, until, setUntil],
        ] as const
      ).map(([label, value, set]) => (
        <Field
          key={label}
          label={fill(label, inLabel)}
          type="datetime-local"
          value={shownMinute(value, zone)}
          onInput={(reading) => {
            if (isUnfinished(reading)) return;
            setPeriod("");
            set(writtenMinute(reading, zone));
          }}
        />
      ))}
      {answer.state === "failed" && (
        <p class="banner tone-bad" role="alert">
          {faultText(answer.fault)}
        </p>
      )}
      {progress === null && found !== null && (
        <p role="status">
          <strong>
            {fillCount(found.more ? text.recover.countAtLeast : text.recover.count, found.count)}
          </strong>
        </p>
      )}
      {progress !== null && (
        <p role="status">
          <progress
            class="progress"
            aria-label={text.recover.progress}
            {...(progress.of === null ? {} : { value: progress.queued, max: progress.of })}
          />
          <strong>{fillCount(text.recover.queued, progress.queued)}</strong>
        </p>
      )}
    </Confirm>
  );
}

type Range = { since: string; until: string };

type Recovery = Schema<"Recovery">;

/** Says how many notifications a recovery would be for, over its webhooks; `more`: at least. */
async function preview(
  webhookId: string | undefined,
  range: Range,
  as: Asking,
): Promise<{ count: number; more: boolean }> {
  const ids = await idsOf(webhookId, as);
  const found = await Promise.all(ids.map((id) => previewAt(id, range, as)));
  const count = found.reduce((sum, one) => sum + one.count, 0);
  return { count, more: found.some(({ more }) => more) };
}

async function previewAt(
  id: string,
  range: Range,
  as: Asking,
): Promise<{ count: number; more: boolean }> {
  const body = { ...range, preview: true };
  const params = { path: { id } };
  const { data } = await answered(api.POST("/webhooks/{id}/recover", { params, body, ...as }));
  if ("count" in data) return data;
  throw new Error("A recovery was answered.");
}

/**
 * Recovers at each webhook, and shows how many notifications are queued. Returns once all is done,
 * or the dialog is closed.
 */
async function recover(
  webhookId: string | undefined,
  range: Range,
  dialog: { isOpen: { current: boolean }; show: (queued: number) => void },
): Promise<Pick<Recovery, "state" | "queued">> {
  const ids = await idsOf(webhookId);
  let recoveries = await Promise.all(ids.map((id) => begin(id, range)));
  while (recoveries.some(isRunning) && dialog.isOpen.current) {
    dialog.show(queuedBy(recoveries));
    await wait(everyMs);
    recoveries = await Promise.all(
      recoveries.map((one) => (isRunning(one) ? read(one) : Promise.resolve(one))),
    );
  }
  const undone = recoveries.find(({ state }) => state === "failed") ?? recoveries.find(isRunning);
  return { state: undone?.state ?? "done", queued: queuedBy(recoveries) };
}

/** Begins a recovery at a webhook. */
async function begin(id: string, body: Range): Promise<Recovery> {
  const params = { path: { id } };
  const { data } = await answered(api.POST("/webhooks/{id}/recover", { params, body }));
  if ("recovery" in data) return data;
  throw new Error("A preview was answered.");
}

/**
 * The webhooks that a list of deliveries is of. Undefined: the first. `anyWebhook`: each one that
 * is active. A paused webhook refuses a recovery.
 * @throws WireFault `webhook_not_found` where there is no first one
 */
async function idsOf(
  webhookId: string | undefined,
  as: Asking = { headers: {} },
): Promise<string[]> {
  if (webhookId === undefined) return [(await answered(api.GET("/webhooks", as))).data.id];
  if (webhookId !== anyWebhook) return [webhookId];
  const { data } = await answered(api.GET("/webhooks/all", as));
  return data.flatMap(({ id, is_active: isActive }) => (isActive ? id : []));
}

const isRunning = ({ state }: Recovery): boolean => state === "running";

const queuedBy = (recoveries: readonly Recovery[]): number =>
  recoveries.reduce((sum, { queued }) => sum + queued, 0);

/** Reads how far it is. The session is not kept open by that. */
async function read({ webhook_id: id, recovery }: Recovery): Promise<Recovery> {
  const asked = {
    params: { path: { id, recovery } },
    headers: { "x-console-background": "1" },
  };
  return (await answered(api.GET("/webhooks/{id}/recoveries/{recovery}", asked))).data;
}
