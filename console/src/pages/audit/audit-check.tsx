import { fill, text, worded } from "../../text/text.ts";
import { Button } from "../../ui/act/button.tsx";
import { showToast } from "../../ui/act/toasts.tsx";
import { useAction } from "../../ui/act/use-action.ts";
import { answered, api } from "../../wire/api.ts";
import type { paths } from "../../wire/generated/api-paths.ts";

/** Checks whether any entry was changed or taken out. */
export function AuditCheck() {
  const { isBusy, run } = useAction(async () => {
    const { data } = await answered(api.GET("/admin/audit/verify"));
    const head = data.head ?? "–";
    showToast(
      data.whole ? "good" : "bad",
      data.whole
        ? fill(text.audit.whole, { head })
        : fill(text.audit.changed, { finding: findingText(data) }),
    );
  });
  return (
    <Button isDisabled={isBusy} onClick={run}>
      {text.audit.check}
    </Button>
  );
}

type Verdict =
  paths["/admin/audit/verify"]["get"]["responses"][200]["content"]["application/json"]["data"];

/** The first thing that is wrong, in the page's language. */
function findingText({ finding, broken, inserted: [inserted] }: Verdict): string {
  const sentence = finding ?? "";
  if (broken !== null)
    return worded(text.auditFault, broken.fault, { sentence, entry: broken.entry });
  return worded(text.auditFault, "inserted", { sentence, entry: inserted ?? "" });
}
