import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { text } from "../../text/text.ts";

type Shown = {
  title: string;
  lead?: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
};

/** The title of a page, its actions, and its content. */
export function Page({ title, lead, actions, children }: Shown) {
  useEffect(() => {
    document.title = `${title} · ${text.product}`;
  }, [title]);
  return (
    <>
      <header class="page-head">
        <h1 tabIndex={-1}>{title}</h1>
        {actions !== undefined && <div class="row row-wrap">{actions}</div>}
        {lead !== undefined && <p>{lead}</p>}
      </header>
      {children}
    </>
  );
}
