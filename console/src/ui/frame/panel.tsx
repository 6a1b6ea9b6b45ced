import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { go } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { IconButton } from "../act/icon-button.tsx";
import { useEscape } from "../act/use-escape.ts";
import { belowHead } from "./below-head.ts";

type Shown = {
  title: ComponentChildren;
  /** The id of the thing in the panel. The panel takes the focus when the id changes. */
  shownId: string;
  /** The address of the list without the panel. */
  back: string;
  children: ComponentChildren;
};

/**
 * The panel beside a list, for the row that is chosen. Escape closes the panel, and the focus goes
 * back to the row.
 */
export function Panel({ title, shownId, back, children }: Shown) {
  const panel = useRef<HTMLElement>(null);
  // The panel takes the focus anew for each thing that it shows.
  useLayoutEffect(() => {
    const shown = panel.current;
    shown?.focus({ preventScroll: true });
    // In the place of a long list its beginning would be above the window.
    const top = shown?.getBoundingClientRect().top ?? 0;
    if (top < 0) window.scrollBy(0, top - belowHead);
  }, [shownId]);
  const close = () => {
    // The row may be on another page of the list by now.
    const [row, title] = [".row-link[aria-current=true]", "h1"].map((where) =>
      document.querySelector<HTMLElement>(where),
    );
    go(back);
    // Where the window is narrow, the list is shown once the panel is gone.
    setTimeout(() => (row ?? title)?.focus());
  };
  useEscape(close);
  return (
    <aside class="panel" ref={panel} tabIndex={-1} aria-label={text.common.details}>
      <div class="panel-head">
        <h2>{title}</h2>
        <IconButton icon="close" label={text.common.close} onClick={close} />
      </div>
      <div class="panel-body">{children}</div>
    </aside>
  );
}
