import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/** Makes `/` move the focus to a field, unless the person is writing or a dialog is open. */
export function useSlash(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.metaKey || event.ctrlKey || event.altKey) return;
      const { activeElement } = document;
      if (activeElement?.matches("input, textarea, select") === true) return;
      if (document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    document.addEventListener("keydown", focus);
    return () => document.removeEventListener("keydown", focus);
  }, [field]);
}
