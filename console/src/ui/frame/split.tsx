import type { ComponentChildren } from "preact";

/** A list with the panel of the chosen row beside it, or the list alone. */
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
