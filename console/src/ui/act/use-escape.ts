import { useLayoutEffect, useRef } from "preact/hooks";

/** Where one writes. Escape there belongs to the field. */
const written = "input:not([type=checkbox]), textarea, select";

/** The open layers. Escape closes the newest. */
const layers: object[] = [];

/**
 * Calls `close` at Escape, while it `isOpen`. Of several things the one closes that was opened
 * last. Escape in a dialog or a field closes none of them.
 */
export function useEscape(close: () => void, isOpen = true): void {
  const latest = useRef(close);
  latest.current = close;
  useLayoutEffect(() => {
    if (!isOpen) return;
    const layer = {};
    layers.push(layer);
    const follow = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || layers.at(-1) !== layer) return;
      const isWriting = event.target instanceof Element && event.target.matches(written);
      if (isWriting || document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener("keydown", follow);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
      document.removeEventListener("keydown", follow);
    };
  }, [isOpen]);
}
