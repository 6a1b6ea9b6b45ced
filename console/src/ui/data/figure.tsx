import type { ComponentChildren } from "preact";

import { RoomContext } from "../show/use-breaks.ts";

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
        <RoomContext.Provider value={true}>{children}</RoomContext.Provider>
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
