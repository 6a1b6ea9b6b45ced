import { chooseLanguage, language, languages } from "../text/language.ts";
import { text } from "../text/text.ts";
import { Segments } from "../ui/act/segments.tsx";

/** The language of the console, for this browser. */
export function LanguageSwitch() {
  return (
    <Segments
      label={text.frame.language}
      choices={["en", "de"] as const}
      chosen={language}
      wordsOf={(one) => languages[one]}
      languageOf={(one) => one}
      onChoose={chooseLanguage}
    />
  );
}
