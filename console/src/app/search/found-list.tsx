import { text, wordOf } from "../../text/text.ts";
import type { Found } from "./search.ts";

type Shown = {
  id: string;
  /** Null: the search is under way. */
  found: readonly Found[] | null;
  isFailed: boolean;
  chosen: number;
  onChoose: (one: Found) => void;
};

/** The results of a search. The focus stays in the search box; Enter opens the result `chosen`. */
export function FoundList({ id, found, isFailed, chosen, onChoose }: Shown) {
  return (
    <div class="found" id={id} role="listbox" aria-label={text.search.found}>
      {found === null && <p class="found-item muted">{text.search.seeking}</p>}
      {found?.length === 0 && (
        <p class="found-item muted">{isFailed ? text.search.failed : text.search.nothing}</p>
      )}
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
