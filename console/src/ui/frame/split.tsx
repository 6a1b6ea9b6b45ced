import type { ComponentChildren } from "preact";

/** A list, and beside it what is chosen in it; alone where nothing is. */
export function Split({
  panel,
  children,
}: {
  panel: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <div class={`split ${panel === null ? "" : "split-open"}`}>
      <div class="stack">{children}</div>
      {panel}
    </div>
  );
}
