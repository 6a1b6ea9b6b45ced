import type { ComponentChildren } from "preact";
import { fillCount, text } from "../../text/text.ts";
import { Button } from "../act/button.tsx";
import { mostSelected } from "./use-selection.ts";

type Shown = {
  selection: { rows: ReadonlyMap<string, unknown>; clear: () => void };
  /** The buttons of what can be done with the rows. */
  children: ComponentChildren;
};

/** The number of selected rows, and the actions on them. Nothing while none is. */
export function SelectionBar({ selection, children }: Shown) {
  const { size } = selection.rows;
  return (
    <div class="at-times" role="status">
      {size > 0 && (
        <div class="selection row row-wrap">
          <strong>{fillCount(text.selection.count, size)}</strong>
          {size >= mostSelected && <span class="muted">{text.selection.most}</span>}
          <span class="push row row-wrap">
            {children}
            <Button look="quiet" onClick={selection.clear}>
              {text.selection.clear}
            </Button>
          </span>
        </div>
      )}
    </div>
  );
}
