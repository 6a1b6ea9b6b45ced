import { text } from "../../text/text.ts";
import { useAction } from "../../ui/act/use-action.ts";
import { answered, api } from "../../wire/api.ts";
import { ChangeButton } from "../parts/change-button.tsx";

type Shown = { id: string; isActive: boolean; again: () => void };

/** Pauses or resumes a webhook, as the operator. */
export function WebhookToggle({ id, isActive, again }: Shown) {
  const { isBusy, run } = useAction(async () => {
    const params = { params: { path: { id } } };
    await (isActive
      ? answered(api.POST("/admin/webhooks/{id}/disable", params))
      : answered(api.POST("/admin/webhooks/{id}/enable", params)));
    again();
  });
  return (
    <ChangeButton scope="businesses" isBusy={isBusy} onClick={run}>
      {isActive ? text.webhooks.pause : text.webhooks.activate}
    </ChangeButton>
  );
}
