import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { Confirm } from "../../ui/act/confirm.tsx";
import { Field } from "../../ui/act/field.tsx";
import { showToast } from "../../ui/act/toasts.tsx";
import { answered, api } from "../../wire/api.ts";
import { ChangeButton } from "../parts/change-button.tsx";

/** Sends one notification again, by its id. */
export function Redeliver() {
  const [isAsked, setAsked] = useState(false);
  const [id, setId] = useState("");
  return (
    <>
      <ChangeButton scope="businesses" icon="undo" onClick={() => setAsked(true)}>
        {text.outbox.redeliver}
      </ChangeButton>
      {isAsked && (
        <Confirm
          title={text.outbox.redeliver}
          action={text.deliveries.resend}
          isDisabled={id.trim() === ""}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await answered(
              api.POST("/admin/notifications/{id}/redeliver", {
                params: { path: { id: id.trim() } },
              }),
            );
            showToast("good", text.deliveries.resent);
          }}
        >
          <Field label={text.deliveries.id} value={id} onInput={setId} />
        </Confirm>
      )}
    </>
  );
}
