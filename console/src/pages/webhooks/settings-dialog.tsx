import { useState } from "preact/hooks";
import { fill, text } from "../../text/text.ts";
import { Confirm } from "../../ui/act/confirm.tsx";
import { Field } from "../../ui/act/field.tsx";
import { showToast } from "../../ui/act/toasts.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { SecretFields } from "./secret-fields.tsx";
import { changeOf, unchanged } from "./webhook-secrets.ts";
import { changedSettings, wishOf } from "./webhook-wish.ts";
import { WishFields } from "./wish-fields.tsx";

type Shown = { of: Schema<"Webhook">; onDone: () => void; onClose: () => void };

/** Changes a webhook, which keeps its id and its secret. */
export function SettingsDialog({ of, onDone, onClose }: Shown) {
  const [wish, setWish] = useState(() => wishOf(of));
  const [secrets, setSecrets] = useState(unchanged);
  const read = changeOf(secrets);
  const words = text.webhooks;
  return (
    <Confirm
      title={words.settings}
      action={words.save}
      isDisabled={wish.url.trim() === "" || read.kind !== "change"}
      onClose={onClose}
      onConfirm={async () => {
        const settings = changedSettings(wish, of);
        const body = { ...settings, ...(read.kind === "change" ? read.change : {}) };
        if (Object.keys(body).length > 0)
          await answered(api.PATCH("/webhooks/{id}", { params: { path: { id: of.id } }, body }));
        showToast("good", words.saved);
        onDone();
      }}
    >
      <Field
        label={words.url}
        type="url"
        value={wish.url}
        onInput={(url) => setWish({ ...wish, url })}
        hint={words.settingsHint}
      />
      <Field
        label={words.description}
        value={wish.description}
        onInput={(description) => setWish({ ...wish, description })}
        hint={words.descriptionHint}
      />
      <Field
        label={words.rate}
        type="number"
        value={wish.rate}
        onInput={(rate) => setWish({ ...wish, rate })}
        hint={words.rateHint}
      />
      <WishFields of={wish} change={setWish} />
      <details>
        <summary>{words.secrets.open}</summary>
        <div class="stack">
          <SecretFields present={of} of={secrets} change={setSecrets} />
        </div>
      </details>
      {read.kind !== "change" && (
        <p class="small" role="alert">
          {read.kind === "alone"
            ? words.secrets.alone
            : fill(words.secrets.badLine, { line: read.line })}
        </p>
      )}
    </Confirm>
  );
}
