import type { ComponentChildren } from "preact";

export type Tone = "plain" | "good" | "warn" | "bad" | "accent";

/** A state in a word. The colour repeats what the word says. */
export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`badge tone-${tone}`}>{children}</span>;
}
