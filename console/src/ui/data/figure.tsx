import type { ComponentChildren } from "preact";

type Shown = {
  name: string;
  children: ComponentChildren;
  more?: ComponentChildren;
  isLarge?: boolean;
};

/** One number that matters, with its name. */
export function Figure({ name, children, more, isLarge = false }: Shown) {
  return (
    <dl class={`card figure ${isLarge ? "figure-large" : ""}`}>
      <dt>{name}</dt>
      <dd>
        {children}
        {more !== undefined && (
          <>
            {" "}
            <small>{more}</small>
          </>
        )}
      </dd>
    </dl>
  );
}
