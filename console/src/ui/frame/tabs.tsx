import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { go } from "../../route/place.ts";

type Tab<Name extends string> = { name: Name; title: string; address: string };

type Shown<Name extends string> = {
  /** The thing whose parts the tabs are. */
  label: string;
  tabs: readonly Tab<Name>[];
  chosen: Name;
  children: ComponentChildren;
};

/**
 * Parts of a thing, one of which is shown. Each has an address, so that a tab opens as any link
 * does. The arrow keys, Home and End open another one
 * (https://www.w3.org/WAI/ARIA/apg/patterns/tabs/).
 */
export function Tabs<Name extends string>({ label, tabs, chosen, children }: Shown<Name>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  // The line of tabs may be wider than a phone.
  useLayoutEffect(() => {
    const tab = document.getElementById(`${id}-${chosen}`);
    if (tab !== null) list.current?.scrollTo({ left: tab.offsetLeft - list.current.offsetLeft });
  }, [id, chosen]);
  const open = (event: KeyboardEvent) => {
    const place = tabs.findIndex(({ name }) => name === chosen);
    const next = placeAfter(event, place, tabs.length);
    const tab = next === null ? undefined : tabs[next];
    if (tab === undefined) return;
    event.preventDefault();
    go(tab.address, { replace: true });
    document.getElementById(`${id}-${tab.name}`)?.focus();
  };
  return (
    <div class="stack">
      <div class="tabs" ref={list} role="tablist" aria-label={label} onKeyDown={open}>
        {tabs.map(({ name, title, address }) => (
          <a
            key={name}
            class="tab"
            id={`${id}-${name}`}
            href={address}
            role="tab"
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
          >
            {title}
          </a>
        ))}
      </div>
      <div
        key={chosen}
        class="stack"
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={`${id}-${chosen}`}
      >
        {children}
      </div>
    </div>
  );
}

/** The place of the tab that a key opens; null: the key opens none. */
function placeAfter(event: KeyboardEvent, place: number, count: number): number | null {
  if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return null;
  if (event.key === "ArrowRight") return (place + 1) % count;
  if (event.key === "ArrowLeft") return (place + count - 1) % count;
  if (event.key === "Home") return 0;
  return event.key === "End" ? count - 1 : null;
}
