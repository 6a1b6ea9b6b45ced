import { language } from "../../text/language.ts";
import type { Said } from "../../text/text.ts";
import { unturned } from "./turned.ts";

/** The text, marked as English where the page's language is another. */
export function Worded({ of: { said, sentence } }: { of: Said }) {
  return said === sentence ? <English text={sentence} /> : unturned(said);
}

/** Words of the API that the console has in English alone. A reader's voice speaks them so. */
export function English({ text }: { text: string }) {
  return <span lang={language === "en" ? undefined : "en"}>{unturned(text)}</span>;
}
