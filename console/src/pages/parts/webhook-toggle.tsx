import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { Confirm } from "../../ui/act/confirm.tsx";
import { useAction } from "../../ui/act/use-action.ts";
import { answered, api } from "../../wire/api.ts";
import { ChangeButton } from "./change-button.tsx";

type Shown = { id: string; isActive: boolean; again: () => void };

/** Pauses a webhook once that is confirmed, or resumes it, as the operator. */
export function WebhookToggle({ id, isActive, again }: Shown) {
  const [isAsked, setAsked] = useState(false);
  const params = { params: { path: { id } } };
  const { isBusy, run } = useAction(async () => {
    await answered(api.POST("/admin/webhooks/{id}/enable", params));
    again();
  });
  return (
    <>
      <ChangeButton
        needs={{ operator: "businesses" }}
        isBusy={isBusy}
        onClick={isActive ? () => setAsked(true) : run}
      >
        {isActive ? text.webhooks.pause : text.webhooks.activate}
      </ChangeButton>
      {isAsked && (
        <Confirm
          title={text.webhooks.pause}
          action={text.webhooks.pause}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await answered(api.POST("/admin/webhooks/{id}/disable", params));
            again();
          }}
        >
          <p>{text.webhooks.pauseMore}</p>
        </Confirm>
      )}
    </>
  );
}
