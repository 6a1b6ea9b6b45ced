import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { Confirm } from "../../ui/act/confirm.tsx";
import { Field } from "../../ui/act/field.tsx";
import { answered, api } from "../../wire/api.ts";

type Shown = {
  /** The URL that is registered now. */
  present: string | null;
  /** Called with the new secret; null where the URL was registered already. */
  onDone: (secret: string | null) => void;
  onClose: () => void;
};

/**
 * Registers a URL. Another one in its place gets a new id and a new secret, unless it is only
 * moved.
 */
export function RegisterDialog({ present, onDone, onClose }: Shown) {
  const [url, setUrl] = useState(present ?? "");
  return (
    <Confirm
      title={present === null ? text.webhooks.register : text.webhooks.replace}
      action={present === null ? text.webhooks.register : text.webhooks.replace}
      isDisabled={url.trim() === ""}
      onClose={onClose}
      onConfirm={async () => {
        const { data } = await answered(api.POST("/webhooks", { body: { url: url.trim() } }));
        onDone("secret" in data && typeof data.secret === "string" ? data.secret : null);
      }}
    >
      <Field
        label={text.webhooks.url}
        type="url"
        value={url}
        onInput={setUrl}
        placeholder="https://example.com/webhook"
        hint={present === null ? text.webhooks.urlHint : text.webhooks.replaceHint}
      />
    </Confirm>
  );
}
