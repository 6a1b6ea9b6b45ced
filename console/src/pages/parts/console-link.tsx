import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { CopyButton } from "../../ui/act/copy-button.tsx";
import { useAction } from "../../ui/act/use-action.ts";
import { answered, api } from "../../wire/api.ts";
import { makeOwnLink } from "../../wire/session.ts";
import { ChangeButton } from "./change-button.tsx";

type Role = "viewer" | "developer";

type Shown = {
  /** The business that an operator lets somebody into. Left out: the own business. */
  id?: string;
};

/** Makes a link that signs somebody of a business in, once, within ten minutes. */
export function ConsoleLink({ id }: Shown) {
  const [link, setLink] = useState<string | null>(null);
  const makeOf = (role: Role) => async () => {
    const path = id === undefined ? await makeOwnLink(role) : await makeLink(id, role);
    setLink(window.location.origin + path);
  };
  const viewer = useAction(makeOf("viewer"));
  const developer = useAction(makeOf("developer"));
  return (
    <div class="stack-tight" role="status">
      <p class="small muted">{text.businesses.consoleMore}</p>
      <div class="row row-wrap">
        <ChangeButton
          needs={{ business: "unlimited", operator: "businesses" }}
          isBusy={developer.isBusy}
          onClick={developer.run}
        >
          {text.businesses.linkFor.developer}
        </ChangeButton>
        <ChangeButton
          needs={{ business: "unlimited", operator: "businesses" }}
          isBusy={viewer.isBusy}
          onClick={viewer.run}
        >
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

async function makeLink(id: string, role: Role): Promise<string> {
  const asked = { params: { path: { id } }, body: { role } };
  const { data } = await answered(api.POST("/admin/businesses/{id}/console-link", asked));
  return data.path;
}
