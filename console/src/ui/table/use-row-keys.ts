import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/**
 * Moves the focus between the links of a table's rows with the arrow keys, j and k. Where nothing
 * has the focus, j goes to the first row.
 */
export function useRowKeys(): RefObject<HTMLTableSectionElement | null> {
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    const shown = body.current;
    if (shown === null) return;
    const move = (event: KeyboardEvent) => {
      const step = steps[event.key];
      if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
      const links = [...shown.querySelectorAll<HTMLElement>(".row-link")];
      const { activeElement } = document;
      const next =
        event.key === "j" && activeElement === document.body
          ? links[0]
          : links.find((_, place) => links[place - step] === activeElement);
      if (next === undefined || event.defaultPrevented) return;
      event.preventDefault();
      next.focus();
    };
    document.addEventListener("keydown", move);
    return () => document.removeEventListener("keydown", move);
  }, []);
  return body;
}
