/** Text as a machine writes it, in a window that scrolls where it is long. */
export function Code({ label, children }: { label: string; children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard (WCAG 2.1.1).
    <figure class="code" aria-label={label} tabIndex={0}>
      <pre>
        <bdi>{children}</bdi>
      </pre>
    </figure>
  );
}
