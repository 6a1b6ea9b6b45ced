import { language } from "../../text/language.ts";
import { unturned } from "./turned.ts";

/** Words of the API that the console has in English alone. A reader's voice speaks them so. */
export function English({ text }: { text: string }) {
  return <span lang={language === "en" ? undefined : "en"}>{unturned(text)}</span>;
}
