import english from "./en.json" with { type: "json" };
import { language } from "./language.ts";
import { numberText } from "./numbers.ts";

/**
 * Every text of the console, in the page's language. English comes with the page. Another language
 * is a file of the same form, which is loaded before anything is shown. Where it cannot be loaded,
 * the texts are English.
 */
export const text: typeof english =
  language === "de"
    ? await import("./de.json").then(
        (german) => german.default,
        () => english,
      )
    : english;

/** A text that depends on a number: one form for each category that the language has. */
type Counted = Readonly<{ one: string; other: string }>;

type Values = Readonly<Record<string, string | number>>;

const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language);

/** A text with its `{names}` replaced by values. */
export function fill(template: string, values: Values): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The form of a text for a number, with `{count}` replaced by it and other `{names}` by values. */
export function fillCount(forms: Counted, count: number, values: Values = {}): string {
  const form = plurals.select(count) === "one" ? forms.one : forms.other;
  return fill(form, { ...values, count: numberText(numbers, count) });
}

/**
 * The text of a word of the API, such as a status. Every word that the API may answer has a text,
 * or the call does not compile. A newer process may answer another one, which is shown as it is.
 */
export function wordOf<Word extends string>(
  words: Readonly<Record<NoInfer<Word>, string>>,
  word: Word,
): string {
  const known: Readonly<Partial<Record<string, string>>> = words;
  return known[word] ?? word;
}

/**
 * A sentence of the API in the page's language, worded from its code and its values. The API's own
 * sentence is English. It stands where the page has no words for the code, and on English pages.
 */
export function worded(
  words: Readonly<Record<string, string>>,
  code: string,
  { sentence, ...values }: Values & { sentence: string },
): string {
  const known: Readonly<Partial<Record<string, string>>> = words;
  const said = known[code];
  return said === undefined ? sentence : fill(said, values);
}

/** A text in the page's language, or the API's own sentence where the page has no words for it. */
export type Said = { said: string; sentence: string };
