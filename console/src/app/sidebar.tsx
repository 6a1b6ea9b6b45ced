import { useLayoutEffect, useRef } from "preact/hooks";
import { usePlace } from "../route/place.ts";
import { fill, text } from "../text/text.ts";
import { Button } from "../ui/act/button.tsx";
import { IconButton } from "../ui/act/icon-button.tsx";
import { useAction } from "../ui/act/use-action.ts";
import { useEscape } from "../ui/act/use-escape.ts";
import { Foreign } from "../ui/show/foreign.tsx";
import { Icon } from "../ui/show/icon.tsx";
import { closeSession, type Session } from "../wire/session.ts";
import { LanguageSwitch } from "./language-switch.tsx";
import { pageAt, pagesOf } from "./pages.ts";
import { ThemeSwitch } from "./theme-switch.tsx";
import { ZoneSwitch } from "./zone-switch.tsx";

type Shown = { session: Session; isOpen: boolean; onClose: () => void };

/** The pages for the session, and its owner. */
export function Sidebar({ session, isOpen, onClose }: Shown) {
  const { path } = usePlace();
  const { isBusy, run } = useAction(closeSession);
  const chosen = pageAt(session, path)?.page.path;
  const sidebar = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (!isOpen) return;
    const before = document.activeElement;
    const shown = sidebar.current;
    shown?.querySelector("a")?.focus();
    return () => {
      const isLost = shown?.contains(document.activeElement) === true;
      if (isLost && before instanceof HTMLElement) before.focus();
    };
  }, [isOpen]);
  useEscape(onClose, isOpen);
  return (
    <nav
      class={`sidebar ${isOpen ? "sidebar-open" : ""}`}
      aria-label={text.frame.pages}
      ref={sidebar}
    >
      <div class="brand">
        <img src="/console/icon.svg" alt="" />
        <span class="brand-names">
          {text.product}
          <span class="small muted">
            <Foreign text={session.business?.name ?? text.frame.operator} />
          </span>
        </span>
        <span class="menu-button push">
          <IconButton icon="close" label={text.common.close} onClick={onClose} />
        </span>
      </div>
      <div>
        {pagesOf(session).map((page) => (
          <a
            class="nav-item"
            key={page.path}
            href={`/console${page.path}`}
            aria-current={page.path === chosen ? "page" : undefined}
          >
            <Icon name={page.icon} />
            {page.name}
          </a>
        ))}
      </div>
      <div class="sidebar-foot">
        <p class="small muted">
          {text.role[session.role]}
          <br />
          {fill(text.frame.version, { version: session.version })}
        </p>
        <ZoneSwitch />
        <ThemeSwitch />
        <LanguageSwitch />
        <Button look="normal" isDisabled={isBusy} onClick={run}>
          {text.frame.signOut}
        </Button>
      </div>
    </nav>
  );
}
