import { useState } from "preact/hooks";
import { text } from "../text/text.ts";
import { chooseTheme, chosenTheme, themes } from "./theme.ts";

/** Light, dark, or as the system is. */
export function ThemeSwitch() {
  const [chosen, setChosen] = useState(chosenTheme);
  return (
    <fieldset class="field">
      <legend class="unseen">{text.theme.name}</legend>
      <span class="seg">
        {themes.map((theme) => (
          <button
            key={theme}
            type="button"
            aria-pressed={theme === chosen}
            onClick={() => {
              chooseTheme(theme);
              setChosen(theme);
            }}
          >
            {text.theme[theme]}
          </button>
        ))}
      </span>
    </fieldset>
  );
}
