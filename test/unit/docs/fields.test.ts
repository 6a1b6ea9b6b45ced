import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inCheckout } from "../../support/checkout.ts";
import { fieldList } from "../../support/docs/markdown.ts";

test("a field has its type beside its name, and its whole meaning below", () => {
  expect(
    fieldList([
      { name: "id", type: "UUID", meaning: "The notification's. The same on every attempt." },
      { name: "data", type: "list of object", meaning: "" },
    ]),
  ).toBe(
    [
      "- **`id`** · UUID\\",
      "  The notification's. The same on every attempt.",
      "- **`data`** · list of object",
      "",
    ].join("\n"),
  );
});

test("words that the meaning explains are a list, and what is said of all stands before them", () => {
  const meaning =
    "The source of the price. `agreed`: two hosts said it. answered: one host said it. Null where it is fixed";
  expect(fieldList([{ name: "proof", type: "string or null", meaning }])).toBe(
    [
      "- **`proof`** · string or null\\",
      "  The source of the price. Null where it is fixed.",
      "  - `agreed`: two hosts said it.",
      "  - `answered`: one host said it.",
      "",
    ].join("\n"),
  );
});

test("a word alone is part of the sentence, and lines are wrapped at 120 columns", () => {
  const meaning = `true: ${"a wallet's movements in the block must match its balance. ".repeat(4)}`;
  const lines = fieldList([{ name: "check", type: "boolean", meaning }])
    .trimEnd()
    .split("\n");
  expect(lines[1]).toMatch(/^ {2}true: a wallet's/);
  expect(lines.slice(1).every((line) => /^ {2}\S/.test(line) && line.length <= 120)).toBe(true);
});

const generated = execFileSync(
  "git",
  [
    "ls-files",
    "--",
    "docs/reference/*.md",
    "docs/settings.md",
    "docs/events.md",
    "docs/metrics.md",
  ].concat("docs/log-events.md", "docs/routes.md"),
  { cwd: inCheckout("."), encoding: "utf8" },
)
  .trimEnd()
  .split("\n");

test.each(generated)("no cell of %s has more than two sentences", (path) => {
  const cells = readFileSync(inCheckout(path), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .flatMap((line) => line.split(/(?<!\\)\|/));
  expect(cells.filter((cell) => /\. .*\. \S/.test(cell))).toEqual([]);
});
