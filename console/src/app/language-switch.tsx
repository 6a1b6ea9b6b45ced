import { chooseLanguage, language, languages } from "../text/language.ts";
import { text } from "../text/text.ts";
import { Segments } from "../ui/act/segments.tsx";

/** True if a form has text that its reader wrote. Filters stand in the address, and stay. */
function hasDraft(): boolean {
  const written = "form input, form textarea, dialog input, dialog textarea, textarea";
  return [...document.querySelectorAll(written)].some(
    (one) =>
      (one instanceof HTMLTextAreaElement || one instanceof HTMLInputElement) &&
      one.type !== "checkbox" &&
      one.value !== one.defaultValue,
  );
}

/** The language of the console, for this browser. */
export function LanguageSwitch() {
  return (
    <Segments
      label={text.frame.language}
      choices={["en", "de"] as const}
      chosen={language}
      wordsOf={(one) => languages[one]}
      languageOf={(one) => one}
      onChoose={(one) => {
        // The page is loaded anew, and with it goes what is written and not sent.
        if (one === language || !hasDraft() || window.confirm(text.frame.unsaved))
          chooseLanguage(one);
      }}
    />
  );
}
