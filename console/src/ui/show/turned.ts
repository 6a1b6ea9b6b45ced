// Characters that turn or hide text: direction marks and overrides, and characters without a form.
// Line feeds and tabs are allowed.
const hidden = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|(?![\n\t])\p{Cc}/gu;

/** The letters of a text that can be seen, with one space between its words. */
export function visible(text: string): string {
  return text.replace(hidden, "").replace(/\s+/g, " ").trim();
}

/**
 * A text that a stranger may have written. Each character that would turn or hide a part of it
 * becomes a visible mark.
 */
export function unturned(text: string): string {
  return text.replace(hidden, "\ufffd");
}
