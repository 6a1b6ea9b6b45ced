import { useEffect, useState } from "preact/hooks";
import { text } from "../text/text.ts";
import { Empty } from "../ui/frame/empty.tsx";
import { Failure } from "../ui/frame/failure.tsx";
import { Waiting } from "../ui/frame/waiting.tsx";
import { asFault, type WireFault } from "../wire/fault.ts";
import type { Session } from "../wire/session.ts";
import { type PageComponent, pageAt } from "./pages.ts";

type Loaded =
  | { state: "loading" }
  | { state: "ready"; path: string; Page: PageComponent }
  | { state: "failed"; fault: WireFault };

/** The page that the address names, loaded when it is first shown. */
export function Content({ session, path }: { session: Session; path: string }) {
  const found = pageAt(session, path);
  const page = found?.page;
  const [loaded, setLoaded] = useState<Loaded>({ state: "loading" });
  useEffect(() => {
    let isWanted = true;
    const load = async () => {
      if (page === undefined) return;
      try {
        const Page = await page.load();
        if (isWanted) setLoaded({ state: "ready", path: page.path, Page });
      } catch (thrown) {
        if (isWanted) setLoaded({ state: "failed", fault: asFault(thrown) });
      }
    };
    void load();
    return () => {
      isWanted = false;
    };
  }, [page]);

  if (found === null) {
    return (
      <Empty icon="search" title={text.common.noPage}>
        <a href="/console/">{text.common.toStart}</a>
      </Empty>
    );
  }
  if (loaded.state === "failed") {
    return <Failure fault={loaded.fault} onAgain={() => window.location.reload()} />;
  }
  if (loaded.state === "loading" || loaded.path !== found.page.path) return <Waiting />;
  return <loaded.Page id={found.id} />;
}
