import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** The keys that lead to the search box, as `aria-keyshortcuts` says them. */
export const shortcuts = "/ Control+K Meta+K";

/**
 * Makes Ctrl-K, or Cmd-K, move the focus to a field. So does `/`, unless the person is writing.
 * With a dialog open the field is out of reach.
 */
export function useShortcut(field: RefObject<HTMLInputElement | null>): void {
  // Heard from the moment that the field is shown.
  useLayoutEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (!isShortcut(event) || document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    document.addEventListener("keydown", focus);
    return () => document.removeEventListener("keydown", focus);
  }, [field]);
}

function isShortcut(event: KeyboardEvent): boolean {
  const isWithCommand = event.ctrlKey || event.metaKey;
  if (event.altKey || event.shiftKey) return false;
  if (isWithCommand) return event.key.toLowerCase() === "k";
  const isWriting = document.activeElement?.matches("input, textarea, select") === true;
  return event.key === "/" && !isWriting;
}
