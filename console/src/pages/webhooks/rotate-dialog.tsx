import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { Confirm } from "../../ui/act/confirm.tsx";
import { Field } from "../../ui/act/field.tsx";
import { answered, api } from "../../wire/api.ts";

type Shown = { id: string; onDone: (secret: string) => void; onClose: () => void };

/** Makes a new secret; the old one stays valid for as long as is asked. */
export function RotateDialog({ id, onDone, onClose }: Shown) {
  const [hours, setHours] = useState("24");
  return (
    <Confirm
      title={text.webhooks.rotate}
      action={text.webhooks.rotate}
      isDisabled={!/^\d{1,3}$/.test(hours)}
      onClose={onClose}
      onConfirm={async () => {
        const { data } = await answered(
          api.POST("/webhooks/{id}/rotate-secret", {
            params: { path: { id } },
            body: { overlap_hours: Number(hours) },
          }),
        );
        onDone(data.secret);
      }}
    >
      <p class="muted">{text.webhooks.rotateMore}</p>
      <Field label={text.webhooks.overlapHours} type="number" value={hours} onInput={setHours} />
    </Confirm>
  );
}
