// What turns or hides text: direction marks and overrides, and characters without a form. Lines and columns are no such thing.
const hidden = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|(?![\n\t])\p{Cc}/gu;

/** A text that a stranger may have written, with a mark in the place of everything that would turn or hide a part of it. */
export function unturned(text: string): string {
  return text.replace(hidden, "\ufffd");
}
