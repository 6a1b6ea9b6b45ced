/** Control, format and lone surrogate characters: a terminal would act on them. */
const acting = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Those of them that JSON leaves as they are. */
const actingInJson = /[\u007f-\u009f\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The text in one line, with `\u001b` in the place of a character that a terminal would act on. */
export function shownText(text: string): string {
  return text.replace(acting, escaped);
}

/** The same of each line by itself. */
export function shownLines(text: string): string {
  return text.split("\n").map(shownText).join("\n");
}

/** The same of a JSON document, which still says the same. */
export function shownJson(json: string): string {
  return json.replace(actingInJson, escaped);
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
