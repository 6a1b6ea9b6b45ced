import { useEffect, useId, useRef, useState } from "preact/hooks";
import { text } from "../../text/text.ts";

/** The most that are offered below the field. A longer text narrows them. */
export const mostOffered = 20;

// The wait after the last letter, in ms: not every letter asks anew.
const pauseMs = 250;

/** Something that can be chosen. Its name tells it from the others that are offered. */
export type Offered = { id: string; name: string; more?: string };

type Shown = {
  label: string;
  /** The name of the present choice; empty: nothing is chosen. */
  chosen: string;
  sought: string;
  /** The choices that the sought text has found; null while they are not known. */
  offered: readonly Offered[] | null;
  /** Said of a text that finds nothing. */
  nothing: string;
  onSeek: (sought: string) => void;
  /** Called with the id of what was chosen; with an empty text, nothing is chosen from now on. */
  onChange: (id: string) => void;
};

/**
 * A choice among any number of things, by a part of their names. An offered name chooses, and so
 * does Enter where a text finds one thing. An empty field chooses nothing. A field that is left in
 * between shows the present choice again, and so does Escape.
 */
export function SoughtChoice({ sought, offered, onSeek, onChange, ...props }: Shown) {
  // Null: nobody writes, and the field shows the present choice.
  const [draft, setDraft] = useState<string | null>(null);
  const [isEntered, setEntered] = useState(false);
  const timer = useRef(0);
  const [id, listId] = [useId(), useId()];
  useEffect(() => () => clearTimeout(timer.current), []);
  const end = () => {
    clearTimeout(timer.current);
    setDraft(null);
    setEntered(false);
    onSeek("");
  };
  const choose = (one: string) => {
    end();
    onChange(one);
  };
  const write = (next: string) => {
    clearTimeout(timer.current);
    const taken = offered?.find(({ name }) => name === next);
    if (taken !== undefined || next === "") {
      choose(taken?.id ?? "");
      return;
    }
    setDraft(next);
    setEntered(false);
    timer.current = window.setTimeout(() => onSeek(next.trim()), pauseMs);
  };
  const enter = () => {
    if (draft === null || draft.trim() === "") return;
    clearTimeout(timer.current);
    onSeek(draft.trim());
    setEntered(true);
  };
  const found = draft !== null && sought === draft.trim() && sought !== "" ? offered : null;
  // Enter during a search chooses when the answer has come.
  useEffect(() => {
    const one = found === null ? undefined : onlyOne(found, sought);
    if (isEntered && one !== undefined) choose(one.id);
  }, [offered, isEntered]);
  return (
    <div class="filter filter-wide">
      <label htmlFor={id}>{props.label}</label>
      <input
        class="input"
        id={id}
        type="search"
        list={listId}
        placeholder={text.common.any}
        title={props.chosen}
        value={draft ?? props.chosen}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") enter();
          // The browser would empty the field, and so choose nothing.
          if (event.key !== "Escape") return;
          event.preventDefault();
          end();
        }}
        onBlur={() => {
          // An entered text is still sought, or its fault is still to be read.
          if (!isEntered) end();
        }}
      />
      <datalist id={listId}>
        {offered?.map((one) => (
          <option key={one.id} value={one.name}>
            {one.more}
          </option>
        ))}
      </datalist>
      <span class="small muted" role="status">
        {found?.length === 0 && props.nothing}
        {isEntered && found !== null && found.length > 1 && text.common.severalNamed}
      </span>
    </div>
  );
}

/** The one thing that a text can mean: the only one found, or the only one of just this name. */
function onlyOne(found: readonly Offered[], sought: string): Offered | undefined {
  const named = found.filter(({ name }) => name.toLowerCase() === sought.toLowerCase());
  const [only, ...others] = found.length === 1 ? found : named;
  return others.length === 0 ? only : undefined;
}
