import { text } from "../../../text/text.ts";
import { Button } from "../../../ui/act/button.tsx";
import { CopyButton } from "../../../ui/act/copy-button.tsx";
import { Dialog } from "../../../ui/act/dialog.tsx";

type Shown = { title: string; what: string; secret: string; onClose: () => void };

/** Shows a secret, once. It cannot be read again anywhere. */
export function SecretDialog({ title, what, secret, onClose }: Shown) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{what}</p>
      <div class="secret">
        <span class="break">{secret}</span>
        <span class="push">
          <CopyButton value={secret} what={title} />
        </span>
      </div>
      <p class="banner tone-warn">{text.common.shownOnce}</p>
      <div class="dialog-foot">
        <Button look="main" onClick={onClose}>
          {text.common.stored}
        </Button>
      </div>
    </Dialog>
  );
}
