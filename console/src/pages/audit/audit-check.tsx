import { fill, text } from "../../text/text.ts";
import { Button } from "../../ui/act/button.tsx";
import { showToast } from "../../ui/act/toasts.tsx";
import { useAction } from "../../ui/act/use-action.ts";
import { answered, api } from "../../wire/api.ts";

/** Checks whether any entry was changed or taken out. */
export function AuditCheck() {
  const { isBusy, run } = useAction(async () => {
    const { data } = await answered(api.GET("/admin/audit/verify"));
    const head = data.head ?? "–";
    showToast(
      data.whole ? "good" : "bad",
      data.whole
        ? fill(text.audit.whole, { head })
        : fill(text.audit.changed, { finding: data.finding ?? "" }),
    );
  });
  return (
    <Button isDisabled={isBusy} onClick={run}>
      {text.audit.check}
    </Button>
  );
}
