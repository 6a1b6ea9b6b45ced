import texts from "./en.json" with { type: "json" };

/** Every text of the console. Another language is another file of the same form. */
export const text = texts;

/** A text with its `{names}` replaced by values. */
export function fill(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The text of a word of the API, such as a status; the word itself where there is none yet. */
export function wordOf(words: Readonly<Record<string, string>>, word: string): string {
  return words[word] ?? word;
}
