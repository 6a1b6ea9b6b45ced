/** Control, format and lone surrogate characters, which a terminal would interpret. */
const acting = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Those of them that JSON does not escape. */
const actingInJson = /[\u007f-\u009f\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The text in one line. A character that a terminal would interpret is written as `\u001b`. */
export function shownText(text: string): string {
  return text.replace(acting, escaped);
}

/** The same for each line separately. */
export function shownLines(text: string): string {
  return text.split("\n").map(shownText).join("\n");
}

/** The same for a JSON document, whose value does not change. */
export function shownJson(json: string): string {
  return json.replace(actingInJson, escaped);
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
