import type { ComponentChildren } from "preact";

/** A part of a panel under a heading of its own. */
export function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="stack-tight">
      <h3>{title}</h3>
      {children}
    </section>
  );
}
