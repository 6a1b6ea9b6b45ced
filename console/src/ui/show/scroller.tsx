import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/**
 * A box that scrolls sideways where its content is too wide. The keyboard reaches it then, since
 * the content may have nothing that takes the focus. `label`: what a screen reader calls it.
 */
export function Scroller({ label, children }: { label: string; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  const [isTooWide, setTooWide] = useState(false);
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    const watcher = new ResizeObserver(() => setTooWide(current.scrollWidth > current.clientWidth));
    for (const one of [current, ...current.children]) watcher.observe(one);
    return () => watcher.disconnect();
  }, []);
  const focusable = { role: "group", tabIndex: 0, "aria-label": label } as const;
  return (
    <div class="scroller" ref={box} {...(isTooWide ? focusable : {})}>
      {children}
    </div>
  );
}
