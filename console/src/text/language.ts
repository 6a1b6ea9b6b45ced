import { store, stored } from "../browser/stored.ts";

/** The languages of the console, each by its own name. */
export const languages = { en: "English", de: "Deutsch" } as const;

export type Language = keyof typeof languages;

/** The parts of a browser that are asked here. Pure modules are tested without a browser. */
type Browser = {
  Intl: typeof Intl;
  navigator?: { languages?: readonly string[] };
  location?: { reload: () => void };
};

const browser: Browser = globalThis;
const key = "chainbell-language";

/**
 * The language of this page: the choice in this browser, or the first language of the reader that
 * we have. Another choice takes effect when the page is loaded.
 */
export const language: Language = firstKnown(wanted()) ?? "en";

/** Chooses a language for this browser, and loads the page in it. */
export function chooseLanguage(chosen: Language): void {
  if (chosen === language) return;
  store(key, chosen);
  browser.location?.reload();
}

/** The first of some language tags, such as `de-AT`, that the console has. */
export function firstKnown(tags: readonly string[]): Language | undefined {
  const known = tags.map((tag) => tag.toLowerCase().split("-")[0] ?? "");
  return known.find(isLanguage);
}

function wanted(): string[] {
  return [stored(key) ?? "", ...(browser.navigator?.languages ?? [])];
}

function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(languages, tag);
}
