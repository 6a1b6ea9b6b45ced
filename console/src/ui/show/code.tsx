import { unturned } from "./turned.ts";

/**
 * Text as a machine or a stranger writes it. No character in it turns the text. Long text scrolls.
 */
export function Code({ label, children }: { label: string; children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard (WCAG 2.1.1).
    <figure class="code" aria-label={label} tabIndex={0}>
      <pre>
        <bdi>{unturned(children)}</bdi>
      </pre>
    </figure>
  );
}
