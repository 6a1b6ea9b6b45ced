import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { Confirm } from "../../ui/act/confirm.tsx";
import { Field } from "../../ui/act/field.tsx";
import { answered, api } from "../../wire/api.ts";

/** Makes a business. */
export function CreateDialog({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const [isVerified, setVerified] = useState(true);
  return (
    <Confirm
      title={text.businesses.create}
      action={text.businesses.create}
      isDisabled={name.trim() === ""}
      onClose={onClose}
      onConfirm={async () => {
        await answered(
          api.POST("/admin/businesses", { body: { name: name.trim(), verified: isVerified } }),
        );
        onDone();
      }}
    >
      <Field label={text.businesses.name} value={name} onInput={setName} />
      <label class="check">
        <input
          type="checkbox"
          checked={isVerified}
          onChange={(event) => setVerified(event.currentTarget.checked)}
        />
        {text.businesses.verifyNow}
      </label>
    </Confirm>
  );
}
