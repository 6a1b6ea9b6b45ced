import { chooseLanguage, type Language, language, languages } from "../text/language.ts";
import { text } from "../text/text.ts";

const all: readonly Language[] = ["en", "de"];

/** The language of the console, for this browser. */
export function LanguageSwitch() {
  return (
    <fieldset class="field">
      <legend class="unseen">{text.frame.language}</legend>
      <span class="seg">
        {all.map((one) => (
          <button
            key={one}
            type="button"
            lang={one}
            aria-pressed={one === language}
            onClick={() => chooseLanguage(one)}
          >
            {languages[one]}
          </button>
        ))}
      </span>
    </fieldset>
  );
}
