import { useEffect, useRef, useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { Icon } from "../../ui/show/icon.tsx";
import { useSession } from "../../wire/use-session.ts";
import { type Choice, choiceOf, commandsFor } from "./choices.ts";
import { FoundList } from "./found-list.tsx";
import { useFound } from "./use-found.ts";
import { shortcuts, useShortcut } from "./use-shortcut.ts";

const listId = "found";
const maxRecent = 5;
const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/**
 * One box for pages, actions and objects. Objects have a hash, an address, an id, an amount, a
 * reference or a label. Ctrl-K and `/` move the focus to it. Arrows and Enter choose; Escape gives
 * the focus back.
 */
export function SearchBox() {
  const { session } = useSession();
  const [written, setWritten] = useState("");
  const [chosen, setChosen] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const [isEntered, setEntered] = useState(false);
  const [recent, setRecent] = useState<readonly Choice[]>([]);
  const input = useRef<HTMLInputElement>(null);
  const focusedBefore = useRef<EventTarget | null>(null);
  const sought = written.trim();
  const { found, isFailed } = useFound(session.kind, sought);
  useShortcut(input);
  const choices = isOpen
    ? [...commandsFor(session, sought, recent), ...(found ?? []).map(choiceOf)]
    : [];
  const isSeeking = found === null && sought !== "";
  const choose = (one: Choice | undefined) => {
    if (one === undefined) return;
    setOpen(false);
    setEntered(false);
    setWritten("");
    if (one.isPlace) {
      const others = recent.filter(({ key }) => key !== one.key);
      setRecent([one, ...others].slice(0, maxRecent));
    }
    input.current?.blur();
    one.choose();
  };
  useEffect(() => setChosen(0), [sought]);
  useEffect(() => {
    // Enter during a search takes the first result when the results arrive.
    if (isEntered && found !== null) choose(choices[0]);
  }, [found]);
  const onKey = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((before) => Math.max(Math.min(before + step, choices.length - 1), 0));
    } else if (event.key === "Enter" && isSeeking && choices.length === 0) setEntered(true);
    else if (event.key === "Enter") choose(choices[chosen]);
    else if (event.key === "Escape") {
      input.current?.blur();
      if (focusedBefore.current instanceof HTMLElement) focusedBefore.current.focus();
    }
  };
  return (
    <search class="search">
      <Icon name="search" />
      <input
        class="input"
        ref={input}
        type="text"
        role="combobox"
        aria-label={text.search.label}
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={choices.length > 0 ? `${listId}-${chosen}` : undefined}
        aria-keyshortcuts={shortcuts}
        placeholder={text.search.placeholder}
        value={written}
        autocomplete="off"
        spellcheck={false}
        onFocus={(event) => {
          focusedBefore.current = event.relatedTarget;
          setOpen(true);
        }}
        onBlur={() => setOpen(false)}
        onKeyDown={onKey}
        onInput={(event) => {
          setEntered(false);
          setOpen(true);
          setWritten(event.currentTarget.value);
        }}
      />
      {written === "" && <kbd>{text.search.shortcut}</kbd>}
      {isOpen && (
        <FoundList
          id={listId}
          choices={choices}
          state={isSeeking ? "seeking" : isFailed ? "failed" : "ready"}
          chosen={chosen}
          onChoose={choose}
        />
      )}
    </search>
  );
}
