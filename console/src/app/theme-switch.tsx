import { useState } from "preact/hooks";
import { text } from "../text/text.ts";
import { Segments } from "../ui/act/segments.tsx";
import { chooseTheme, chosenTheme, themes } from "./theme.ts";

/** Light, dark, or as the system is. */
export function ThemeSwitch() {
  const [chosen, setChosen] = useState(chosenTheme);
  return (
    <Segments
      label={text.theme.name}
      choices={themes}
      chosen={chosen}
      wordsOf={(theme) => text.theme[theme]}
      onChoose={(theme) => {
        chooseTheme(theme);
        setChosen(theme);
      }}
    />
  );
}
