import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { Confirm } from "../../ui/act/confirm.tsx";
import { Field } from "../../ui/act/field.tsx";
import { answered, api } from "../../wire/api.ts";

type Shown = {
  /** The URL that is registered now. */
  present: string | null;
  /** It is to stand beside those that are there. */
  isAdditional: boolean;
  /** Called with the new secret; null where the URL was registered already. */
  onDone: (secret: string | null) => void;
  onClose: () => void;
};

/**
 * Registers a URL. Another one in its place gets a new id and a new secret, unless it is only
 * moved.
 */
export function RegisterDialog({ present, isAdditional, onDone, onClose }: Shown) {
  const [url, setUrl] = useState(isAdditional ? "" : (present ?? ""));
  const { title, hint } = wordsOf(present, isAdditional);
  return (
    <Confirm
      title={title}
      action={title}
      isDisabled={url.trim() === ""}
      onClose={onClose}
      onConfirm={async () => {
        const { data } = await answered(
          api.POST("/webhooks", {
            body: { url: url.trim(), ...(isAdditional ? { additional: true } : {}) },
          }),
        );
        onDone("secret" in data && typeof data.secret === "string" ? data.secret : null);
      }}
    >
      <Field
        label={text.webhooks.url}
        type="url"
        value={url}
        onInput={setUrl}
        placeholder="https://example.com/webhook"
        hint={hint}
      />
    </Confirm>
  );
}

function wordsOf(present: string | null, isAdditional: boolean): { title: string; hint: string } {
  const { register, replace, add, urlHint, replaceHint, addHint } = text.webhooks;
  if (isAdditional) return { title: add, hint: addHint };
  return present === null
    ? { title: register, hint: urlHint }
    : { title: replace, hint: replaceHint };
}
