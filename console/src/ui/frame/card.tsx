import type { ComponentChildren } from "preact";

type Shown = {
  title?: string;
  aside?: ComponentChildren;
  /** True if the content reaches the edges, as a table does. */
  isFull?: boolean;
  children: ComponentChildren;
};

/** A part of a page on a surface of its own. */
export function Card({ title, aside, isFull = false, children }: Shown) {
  return (
    <section class="card">
      {title !== undefined && (
        <div class="card-head">
          <h2>{title}</h2>
          {aside !== undefined && <div class="push">{aside}</div>}
        </div>
      )}
      {isFull ? children : <div class="card-body">{children}</div>}
    </section>
  );
}
