import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { text } from "../../text/text.ts";
import { IconButton } from "./icon-button.tsx";

type Shown = { title: string; onClose: () => void; children: ComponentChildren };

/**
 * Asks for something before the page goes on. The browser keeps the focus inside, and Escape closes
 * it.
 */
export function Dialog({ title, onClose, children }: Shown) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
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
