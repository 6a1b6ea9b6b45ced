import { useEffect, useRef, useState } from "preact/hooks";
import { go } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Icon } from "../../ui/show/icon.tsx";
import { useSession } from "../../wire/use-session.ts";
import { FoundList } from "./found-list.tsx";
import type { Found } from "./search.ts";
import { useFound } from "./use-found.ts";
import { useSlash } from "./use-slash.ts";

const listId = "found";
const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/**
 * One box for a hash, an address, an id, a reference or a label. `/` moves the focus to it. Arrows
 * and Enter choose a result.
 */
export function SearchBox() {
  const { session } = useSession();
  const [sought, setSought] = useState("");
  const [chosen, setChosen] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const [isEntered, setEntered] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const { found, isFailed } = useFound(session.kind, sought.trim());
  useSlash(input);
  const open = (one: Found | undefined) => {
    if (one === undefined) return;
    setOpen(false);
    setEntered(false);
    input.current?.blur();
    go(one.address);
  };
  useEffect(() => {
    setChosen(0);
    // Enter during a search opens the first result when the results arrive.
    if (isEntered && found !== null) open(found[0]);
  }, [found]);
  const onKey = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((before) => Math.min(Math.max(before + step, 0), (found?.length ?? 1) - 1));
    } else if (event.key === "Enter" && found === null) setEntered(true);
    else if (event.key === "Enter") open(found?.[chosen]);
    else if (event.key === "Escape") setOpen(false);
  };
  const isShown = isOpen && sought.trim() !== "";
  return (
    <search class="search">
      <Icon name="search" />
      <input
        class="input"
        ref={input}
        type="text"
        role="combobox"
        aria-label={text.search.label}
        aria-expanded={isShown}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={
          isShown && (found?.length ?? 0) > 0 ? `${listId}-${chosen}` : undefined
        }
        placeholder={text.search.placeholder}
        value={sought}
        autocomplete="off"
        spellcheck={false}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKey}
        onInput={(event) => {
          setEntered(false);
          setSought(event.currentTarget.value);
        }}
      />
      {sought === "" && <kbd>/</kbd>}
      {isShown && <FoundList {...{ id: listId, found, isFailed, chosen, onChoose: open }} />}
    </search>
  );
}
