import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { CopyButton } from "../../ui/act/copy-button.tsx";
import { useAction } from "../../ui/act/use-action.ts";
import { answered, api } from "../../wire/api.ts";
import { ChangeButton } from "../parts/change-button.tsx";

/** Makes a link that signs somebody of a business in, once, within ten minutes. */
export function ConsoleLink({ id }: { id: string }) {
  const [link, setLink] = useState<string | null>(null);
  const makeOf = (role: "viewer" | "developer") => async () => {
    const { data } = await answered(
      api.POST("/admin/businesses/{id}/console-link", { params: { path: { id } }, body: { role } }),
    );
    setLink(window.location.origin + data.path);
  };
  const viewer = useAction(makeOf("viewer"));
  const developer = useAction(makeOf("developer"));
  return (
    <div class="stack-tight" role="status">
      <p class="small muted">{text.businesses.consoleMore}</p>
      <div class="row row-wrap">
        <ChangeButton scope="businesses" isBusy={developer.isBusy} onClick={developer.run}>
          {text.businesses.linkFor.developer}
        </ChangeButton>
        <ChangeButton scope="businesses" isBusy={viewer.isBusy} onClick={viewer.run}>
          {text.businesses.linkFor.viewer}
        </ChangeButton>
      </div>
      {link !== null && (
        <div class="secret">
          <span class="break">{link}</span>
          <span class="push">
            <CopyButton value={link} what={text.businesses.link} />
          </span>
        </div>
      )}
    </div>
  );
}
