import type { ComponentChildren } from "preact";
import { text } from "../../text/text.ts";
import { IconButton } from "./icon-button.tsx";
import { useModal } from "./use-modal.ts";

type Shown = { title: string; onClose: () => void; children: ComponentChildren };

/**
 * Asks for something before the page goes on. The browser keeps the focus inside, and Escape closes
 * it.
 */
export function Dialog({ title, onClose, children }: Shown) {
  const dialog = useModal();
  return (
    <dialog class="dialog" ref={dialog} aria-label={title} onClose={onClose}>
      <div class="panel-head">
        <h2>{title}</h2>
        <IconButton icon="close" label={text.common.close} onClick={onClose} />
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}
