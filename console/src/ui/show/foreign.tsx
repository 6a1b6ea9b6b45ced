import { unturned } from "./turned.ts";

/**
 * Text that a stranger may have written. No character in it turns the text, or the text beside it.
 */
export function Foreign({ text }: { text: string }) {
  return <bdi class="break">{unturned(text)}</bdi>;
}
