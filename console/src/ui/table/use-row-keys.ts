import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/** Where a letter is written, and keys choose among values. */
const written = "input, textarea, select, dialog *";

/**
 * Moves the focus between the links of a table's rows with the arrow keys, j and k. From a button
 * in a row, j and k go on from that row. If no row has the focus, they begin at the chosen row. If
 * no row is chosen, j begins at the first. They leave alone what is written, and the rows of
 * another table.
 */
export function useRowKeys(): RefObject<HTMLTableSectionElement | null> {
  const body = useRef<HTMLTableSectionElement>(null);
  useLayoutEffect(() => {
    const shown = body.current;
    if (shown === null) return;
    const move = (event: KeyboardEvent) => {
      const step = steps[event.key];
      if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
      const links = [...shown.querySelectorAll<HTMLElement>(".row-link")];
      const next = links[placeOf(links, event.key) + step];
      if (next === undefined || event.defaultPrevented) return;
      event.preventDefault();
      next.focus();
    };
    document.addEventListener("keydown", move);
    return () => document.removeEventListener("keydown", move);
  }, []);
  return body;
}

/** The place where a key begins: -1 is before the first row. NaN: the key is for other rows. */
function placeOf(links: readonly HTMLElement[], key: string): number {
  const { activeElement } = document;
  const isArrow = key.startsWith("Arrow");
  if (activeElement?.matches(written) === true) return Number.NaN;
  const focused = links.findIndex(
    (link) =>
      link === activeElement || (!isArrow && link.closest("tr")?.contains(activeElement) === true),
  );
  if (focused >= 0) return focused;
  if (isArrow || activeElement?.matches(".row-link") === true) return Number.NaN;
  const chosen = links.findIndex((link) => link.ariaCurrent === "true");
  return chosen < 0 && key === "k" ? Number.NaN : chosen;
}
