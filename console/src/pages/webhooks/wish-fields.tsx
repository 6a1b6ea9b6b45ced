import { text } from "../../text/text.ts";
import { Field } from "../../ui/act/field.tsx";
import { filteredEvents, type WebhookWish } from "./webhook-wish.ts";

type Shown = { of: WebhookWish; change: (wish: WebhookWish) => void };

const lists = ["assets", "blockchains", "references", "minAmount", "minUsd"] as const;

/** The fields of a webhook's filter and order. */
export function WishFields({ of, change }: Shown) {
  const words = text.webhooks.wish;
  const eventNames = Object.keys(filteredEvents);
  const toggled = (event: string) =>
    eventNames.filter((one) => (one === event) !== of.events.includes(one));
  return (
    <>
      <fieldset class="field">
        <legend>{words.events}</legend>
        <span class="small muted">{words.eventsHint}</span>
        {eventNames.map((event) => (
          <label class="check" key={event}>
            <input
              type="checkbox"
              checked={of.events.includes(event)}
              onChange={() => change({ ...of, events: toggled(event) })}
            />
            <code>{event}</code>
          </label>
        ))}
      </fieldset>
      {lists.map((name) => (
        <Field
          key={name}
          label={words[name]}
          value={of[name]}
          onInput={(value) => change({ ...of, [name]: value })}
          hint={words[`${name}Hint`]}
        />
      ))}
      <label class="check">
        <input
          type="checkbox"
          checked={of.isOrdered}
          onChange={() => change({ ...of, isOrdered: !of.isOrdered })}
        />
        {words.ordered}
      </label>
    </>
  );
}
