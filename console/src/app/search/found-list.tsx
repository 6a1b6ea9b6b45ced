import { useEffect, useRef } from "preact/hooks";
import { text } from "../../text/text.ts";
import type { Choice } from "./choices.ts";

type Shown = {
  id: string;
  choices: readonly Choice[];
  /** Of the server's part: under way, failed, or all there. */
  state: "seeking" | "failed" | "ready";
  chosen: number;
  onChoose: (one: Choice) => void;
};

/** The choices of the search box. The focus stays in the box; Enter takes the one `chosen`. */
export function FoundList({ id, choices, state, chosen, onChoose }: Shown) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <div class="found" id={id} role="listbox" aria-label={text.search.found} ref={list}>
      {choices.map((one, place) => (
        <div
          class="found-item"
          key={one.key}
          id={`${id}-${place}`}
          role="option"
          tabIndex={-1}
          aria-selected={place === chosen}
          onMouseDown={(event) => {
            event.preventDefault();
            onChoose(one);
          }}
        >
          <span class="muted small">{one.kind}</span>
          <span>{one.label}</span>
          {one.detail !== "" && (
            <>
              <span />
              <span class="small faint">{one.detail}</span>
            </>
          )}
        </div>
      ))}
      {state === "seeking" && <p class="found-item muted">{text.search.seeking}</p>}
      {state === "failed" && <p class="found-item muted">{text.search.failed}</p>}
      {state === "ready" && choices.length === 0 && (
        <p class="found-item muted">{text.search.nothing}</p>
      )}
    </div>
  );
}
