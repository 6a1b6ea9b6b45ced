import { expect, test } from "vitest";
import { documentText, errorDocument, peopleText } from "../../../src/bin/cli/output.ts";
import { prettyLines } from "../../../src/development/pretty-log.ts";
import { createLogger } from "../../../src/runtime/logger.ts";
import { shownLines, shownText } from "../../../src/runtime/shown-text.ts";

/** Each of them does something to a terminal or to the text beside it. */
const acting = [
  ["NUL", "\u0000", "\\u0000"],
  ["a new line", "\n", "\\u000a"],
  ["ESC", "\u001b[2J", "\\u001b[2J"],
  ["CSI in one character", "\u009b2J", "\\u009b2J"],
  ["DEL", "\u007f", "\\u007f"],
  ["a right-to-left override", "\u202e", "\\u202e"],
  ["an isolate", "\u2066", "\\u2066"],
  ["a line separator", "\u2028", "\\u2028"],
  ["a tag character", "\u{e0041}", "\\udb40\\udc41"],
  ["a lone surrogate", "\ud800", "\\ud800"],
] as const;

const raw = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const withoutEnds = (text: string) => text.replaceAll("\n", "");

test.each(acting)("%s is shown as what it is, everywhere", (_what, character, shown) => {
  const name = `a${character}b`;
  expect(shownText(name)).toBe(`a${shown}b`);
  const entry = { actor: name, details: { nested: [{ name }] } };
  for (const answer of [entry, [entry], [{ actor: name }], name, { names: [name] }]) {
    expect(withoutEnds(peopleText(answer))).not.toMatch(raw);
  }
  for (const text of [documentText([entry]), errorDocument("a", name, [entry])]) {
    expect(withoutEnds(text)).not.toMatch(raw);
    expect(JSON.stringify(JSON.parse(text))).toContain(JSON.stringify(name).slice(1, -1));
  }
});

test.each(acting)("%s is in no line of a log", (_what, character) => {
  const lines: string[] = [];
  const redaction = { text: (text: string) => text };
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ level: "info", destination, redaction } as Parameters<
    typeof createLogger
  >[0]);
  log.info({ name: `a${character}b`, nested: { name: character } }, "daemon.ready");
  const [line = ""] = lines;
  expect(withoutEnds(line)).not.toMatch(raw);
  expect(JSON.parse(line).name).toContain("a");
  const pretty = prettyLines({ isColoured: false })(line);
  expect(withoutEnds(pretty)).not.toMatch(raw);
});

test("what is said in lines stays in lines", () => {
  expect(shownLines("a\nb\u001b\n")).toBe("a\nb\\u001b\n");
  expect(peopleText([{ a: "plain é 漢 😀" }])).toContain("plain é 漢 😀");
});
