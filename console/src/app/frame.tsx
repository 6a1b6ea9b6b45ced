import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { useZoneChoice } from "../format/zone.ts";
import { followLinks, usePlace } from "../route/place.ts";
import { text } from "../text/text.ts";
import { IconButton } from "../ui/act/icon-button.tsx";
import { startLive } from "../wire/live.ts";
import { useSession } from "../wire/use-session.ts";
import { Content } from "./content.tsx";
import { LiveMark } from "./live-mark.tsx";
import { NotLive } from "./not-live.tsx";
import { SearchBox } from "./search/search-box.tsx";
import { Sidebar } from "./sidebar.tsx";

/**
 * The frame around every page: navigation, search, and the mark for live changes. `isOver`: the
 * session has ended, and nothing is asked until another one begins.
 */
export function Frame({ isOver }: { isOver: boolean }) {
  const { session } = useSession();
  const { path } = usePlace();
  // Times below are shown anew when the clock changes.
  useZoneChoice();
  const [isMenuOpen, setMenuOpen] = useState(false);
  useLayoutEffect(followLinks, []);
  // Another session has events of its own. They begin before the pages ask anything.
  useLayoutEffect(() => (isOver ? undefined : startLive()), [session.token, isOver]);
  // The menu closes when another page is chosen.
  useEffect(() => setMenuOpen(false), [path]);
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {text.frame.skip}
      </a>
      <Sidebar session={session} isOpen={isMenuOpen} onClose={() => setMenuOpen(false)} />
      <div>
        <header class="topbar">
          <span class="menu-button">
            <IconButton icon="menu" label={text.frame.menu} onClick={() => setMenuOpen(true)} />
          </span>
          <SearchBox />
          <span class="push" />
          <LiveMark />
        </header>
        <main class="content" id="content" tabIndex={-1}>
          <NotLive />
          <Content session={session} path={path} />
        </main>
      </div>
    </div>
  );
}
