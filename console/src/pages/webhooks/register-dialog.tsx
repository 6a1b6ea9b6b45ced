import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { Confirm } from "../../ui/act/confirm.tsx";
import { Field } from "../../ui/act/field.tsx";
import { answered, api } from "../../wire/api.ts";
import { filterOf, type WebhookWish, wishOf } from "./webhook-wish.ts";
import { WishFields } from "./wish-fields.tsx";

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
  const [wish, setWish] = useState(() => ({
    ...wishOf(null),
    url: isAdditional ? "" : (present ?? ""),
  }));
  const { title, hint } = wordsOf(present, isAdditional);
  return (
    <Confirm
      title={title}
      action={title}
      isDisabled={wish.url.trim() === ""}
      onClose={onClose}
      onConfirm={async () => {
        const { data } = await answered(
          api.POST("/webhooks", {
            body: bodyOf(wish, isAdditional),
          }),
        );
        onDone("secret" in data && typeof data.secret === "string" ? data.secret : null);
      }}
    >
      <Field
        label={text.webhooks.url}
        type="url"
        value={wish.url}
        onInput={(url) => setWish({ ...wish, url })}
        placeholder="https://example.com/webhook"
        hint={hint}
      />
      <Field
        label={text.webhooks.description}
        value={wish.description}
        onInput={(description) => setWish({ ...wish, description })}
        hint={text.webhooks.descriptionHint}
      />
      <details open={isAdditional}>
        <summary>{text.webhooks.wish.open}</summary>
        <div class="stack">
          <WishFields of={wish} change={setWish} />
        </div>
      </details>
    </Confirm>
  );
}

/** Without a description, a filter or an order that nobody wished for. */
function bodyOf(wish: WebhookWish, isAdditional: boolean) {
  const filter = filterOf(wish);
  return {
    url: wish.url.trim(),
    ...(wish.description.trim() !== "" && { description: wish.description.trim() }),
    ...(isAdditional && { additional: true }),
    ...(filter !== null && { filter }),
    ...(wish.isOrdered && { order: "wallet" as const }),
  };
}

function wordsOf(present: string | null, isAdditional: boolean): { title: string; hint: string } {
  const { register, replace, add, urlHint, replaceHint, addHint } = text.webhooks;
  if (isAdditional) return { title: add, hint: addHint };
  return present === null
    ? { title: register, hint: urlHint }
    : { title: replace, hint: replaceHint };
}
