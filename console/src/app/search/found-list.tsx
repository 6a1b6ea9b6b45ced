import { text, wordOf } from "../../text/text.ts";
import type { Found } from "./search.ts";

type Shown = {
  id: string;
  /** Null: it is being looked for. */
  found: readonly Found[] | null;
  chosen: number;
  onChoose: (one: Found) => void;
};

/** What was found. The focus stays in the box: `chosen` is the one that Enter opens. */
export function FoundList({ id, found, chosen, onChoose }: Shown) {
  return (
    <div class="found" id={id} role="listbox" aria-label={text.search.found}>
      {found === null && <p class="found-item muted">{text.search.seeking}</p>}
      {found?.length === 0 && <p class="found-item muted">{text.search.nothing}</p>}
      {found?.map((one, place) => (
        <div
          class="found-item"
          key={one.address}
          id={`${id}-${place}`}
          role="option"
          tabIndex={-1}
          aria-selected={place === chosen}
          onMouseDown={(event) => {
            event.preventDefault();
            onChoose(one);
          }}
        >
          <span class="muted small">{wordOf(text.search.kinds, one.kind)}</span>
          <span>{one.label}</span>
          <span />
          <span class="small faint">{one.detail}</span>
        </div>
      ))}
    </div>
  );
}
