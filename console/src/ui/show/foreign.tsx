// What turns or hides text: direction marks and overrides, and characters without a form.
const hidden = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\p{Cc}/gu;

/** Text that a stranger may have written: as text, turned by nothing in it, and turning nothing beside it. */
export function Foreign({ text }: { text: string }) {
  return <bdi class="break">{text.replace(hidden, "\ufffd")}</bdi>;
}
