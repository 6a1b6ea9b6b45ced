import { useLayoutEffect, useState } from "preact/hooks";

/** A place in the console: the path below /console, and the query. */
export type Place = { path: string; query: URLSearchParams };

const base = "/console";
const watchers = new Set<() => void>();

/** The place that the address bar shows. */
export function placeNow(): Place {
  const { pathname, search } = window.location;
  const path = pathname.startsWith(base) ? pathname.slice(base.length) : "";
  return { path: path === "" ? "/" : path, query: new URLSearchParams(search) };
}

/** The address of a place: `path` below /console, and the filters that have a value. */
export function addressOf(path: string, filters: Readonly<Record<string, string | null>> = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) {
    if (value !== null && value !== "") query.set(name, value);
  }
  const text = query.toString();
  return `${base}${path}${text === "" ? "" : `?${text}`}`;
}

/**
 * Goes to an address of the console. The address becomes a new entry of the browser's history, or
 * replaces the present one. Another page begins at its top.
 */
export function go(address: string, { replace = false } = {}): void {
  const before = pageNow();
  if (replace) window.history.replaceState(null, "", address);
  else window.history.pushState(null, "", address);
  for (const watcher of watchers) watcher();
  if (pageNow() !== before) window.scrollTo(0, 0);
}

/** The part of the path that names the page, without the row that is chosen on it. */
function pageNow(): string {
  return placeNow().path.split("/")[1] ?? "";
}

/** The present place, followed as it changes. */
export function usePlace(): Place {
  const [place, setPlace] = useState(placeNow);
  useLayoutEffect(() => {
    const follow = () => setPlace(placeNow());
    watchers.add(follow);
    window.addEventListener("popstate", follow);
    return () => {
      watchers.delete(follow);
      window.removeEventListener("popstate", follow);
    };
  }, []);
  return place;
}

/**
 * Follows links to the console's own pages without loading the console again. Call the answer to
 * end that.
 */
export function followLinks(): () => void {
  const follow = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || link.target !== "" || link.hasAttribute("download")) return;
    const url = new URL(link.href, window.location.href);
    if (url.origin !== window.location.origin || !isOfConsole(url.pathname)) return;
    // The browser itself follows a link to a part of a page.
    if (url.hash !== "") return;
    event.preventDefault();
    go(url.pathname + url.search);
  };
  document.addEventListener("click", follow);
  return () => document.removeEventListener("click", follow);
}

function isOfConsole(path: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}
