// @ts-check
// Wraps the paragraphs of Markdown pages that are too wide. Usage: node scripts/prose/wrap.mjs PATH...
import { readFileSync, writeFileSync } from "node:fs";
import { paragraphsOf, wideLinesOfMarkdown } from "./markdown.mjs";
import { columns } from "./rules.mjs";

for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, "utf8");
  const wrapped = wrapPage(text);
  if (wrapped !== text) writeFileSync(file, wrapped);
}

/** @param {string} text */
function wrapPage(text) {
  const wide = new Set(wideLinesOfMarkdown(text));
  let wrapped = text;
  // From the end, so that offsets before it stay.
  for (const { position } of paragraphsOf(text).reverse()) {
    if (position?.start.offset === undefined || position.end.offset === undefined) continue;
    const { start, end } = position;
    const lines = Array.from({ length: end.line - start.line + 1 }, (_, n) => start.line + n);
    if (!lines.some((line) => wide.has(line))) continue;
    const source = wrapped.slice(position.start.offset, position.end.offset);
    // A hard break or a quotation keeps its lines.
    if (/ {2}\n|\\\n|\n\s*>/.test(source)) continue;
    wrapped =
      wrapped.slice(0, position.start.offset) +
      wrapText(source, start.column - 1) +
      wrapped.slice(position.end.offset);
  }
  return wrapped;
}

/**
 * @param {string} text
 * @param {number} indent columns before each line; the first has them already
 */
function wrapText(text, indent) {
  /** @type {string[]} */
  const words = [];
  for (const word of text.split(/\s+/)) {
    // At the start of a line these would begin a list, a heading or a table.
    if (/^(?:[-+*>|]|#+|\d+[.)])$/.test(word) && words.length > 0) {
      words.push(`${words.pop()} ${word}`);
    } else words.push(word);
  }
  const lines = [""];
  for (const word of words) {
    const last = lines.at(-1) ?? "";
    const longer = last === "" ? word : `${last} ${word}`;
    if (indent + longer.length <= columns.document || last === "") lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join(`\n${" ".repeat(indent)}`);
}
