import type { ComponentChildren } from "preact";
import type { Tone } from "../show/badge.tsx";
import { Icon } from "../show/icon.tsx";

/** Something that somebody should know before they read on. */
export function Banner({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <div class={`banner tone-${tone}`}>
      <Icon name={tone === "good" ? "done" : "warning"} />
      <div class="banner-text">{children}</div>
    </div>
  );
}
