import { store, stored } from "../browser/stored.ts";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const key = "chainbell-theme";

/** The theme that was chosen in this browser, or `system` where none was chosen. */
export function chosenTheme(): Theme {
  const kept = stored(key);
  return themes.find((theme) => theme === kept) ?? "system";
}

/** Shows the page in a theme. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
}

/** Chooses a theme for this browser. */
export function chooseTheme(theme: Theme): void {
  store(key, theme);
  applyTheme(theme);
}
