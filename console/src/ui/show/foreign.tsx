import { unturned } from "./turned.ts";

/** Text that a stranger may have written: as text, turned by nothing in it, and turning nothing beside it. */
export function Foreign({ text }: { text: string }) {
  return <bdi class="break">{unturned(text)}</bdi>;
}
