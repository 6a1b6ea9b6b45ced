import { useState } from "preact/hooks";
import { momentAt } from "../../../format/wall-clock.ts";
import { chosenZone, zoneOf } from "../../../format/zone.ts";
import { fill, text } from "../../../text/text.ts";
import { Confirm } from "../../../ui/act/confirm.tsx";
import { Field } from "../../../ui/act/field.tsx";

const scopes = ["read", "webhooks", "notifications"] as const;

/** The label, scopes, networks and expiry that a new key is to have. */
export type KeyWish = {
  label?: string;
  scopes: string[];
  networks?: string[];
  expires_at?: string;
};

type Shown = {
  /** Makes the key and answers it. */
  create: (wish: KeyWish) => Promise<string>;
  onDone: (key: string) => void;
  onClose: () => void;
};

/** Asks what a new key may do. */
export function CreateKeyDialog({ create, onDone, onClose }: Shown) {
  const [label, setLabel] = useState("");
  // A key has no more than somebody has chosen.
  const [chosen, setChosen] = useState<readonly string[]>(["read"]);
  const [networks, setNetworks] = useState("");
  const [expires, setExpires] = useState("");
  const wish: KeyWish = {
    ...(label.trim() === "" ? {} : { label: label.trim() }),
    scopes: [...chosen],
    ...(networks.trim() === "" ? {} : { networks: networks.trim().split(/[\s,]+/) }),
    ...(expires === "" ? {} : { expires_at: beginOf(expires) }),
  };
  return (
    <Confirm
      title={text.keys.create}
      action={text.keys.create}
      isDisabled={chosen.length === 0}
      onClose={onClose}
      onConfirm={async () => onDone(await create(wish))}
    >
      <Field label={text.keys.label} value={label} onInput={setLabel} hint={text.keys.labelHint} />
      <fieldset class="field">
        <legend>{text.keys.scopes}</legend>
        {scopes.map((scope) => (
          <label class="check" key={scope}>
            <input
              type="checkbox"
              checked={chosen.includes(scope)}
              onChange={() =>
                setChosen(scopes.filter((one) => (one === scope) !== chosen.includes(one)))
              }
            />
            {text.scopeMore[scope]}
          </label>
        ))}
      </fieldset>
      <Field
        label={text.keys.networks}
        value={networks}
        onInput={setNetworks}
        placeholder="198.51.100.0/28"
        hint={text.keys.networksHint}
      />
      <Field
        label={fill(text.keys.expires, { zone: text.zone.inLabel[chosenZone()] })}
        type="date"
        value={expires}
        onInput={setExpires}
      />
    </Confirm>
  );
}

/** The beginning of a day by the chosen clock. */
function beginOf(day: string): string {
  return new Date(momentAt(`${day}T00:00`, zoneOf(chosenZone()))).toISOString();
}
