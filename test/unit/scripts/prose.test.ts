import { expect, test } from "vitest";
import { commentsOfCode, textsOfCode, wideCommentsOfCode } from "../../../scripts/prose/code.mjs";
import { proseOfMarkdown, wideLinesOfMarkdown } from "../../../scripts/prose/markdown.mjs";
import { judge } from "../../../scripts/prose/rules.mjs";
import { judgeWords, refusedWordsOf } from "../../../scripts/prose/words.mjs";

const rulesBroken = (text: string, isFragment = false) =>
  judge({ file: "page.md", line: 1, text, isFragment }).findings.map(
    ({ level, rule }) => `${level}: ${rule}`,
  );

const words = (count: number) => `${"word ".repeat(count).trim()}.`;

test.each<[string, string[]]>([
  ["The watcher stores the position.", []],
  [words(20), []],
  [words(21), ["warns: 21 words"]],
  [words(31), ["fails: 31 words"]],
  [`${words(20)} ${words(20)}`, []],
  [`A test says "${words(31)}" of it.`, []],
  [`An answer has ${"`name`, ".repeat(30)}and \`last\`.`, []],
  [`${words(19).slice(0, -1)} with \`one\` and \`two\`.`, ["warns: 23 words"]],
  ["What was sent twice is answered once.", ["fails: a clause is the subject"]],
  ["Whoever asks gets an answer.", ["fails: a clause is the subject"]],
  ["One that has answered nothing gets four.", ["fails: a clause is the subject"]],
  ["Of those that wait the oldest goes first.", ["fails: a clause is the subject"]],
  ["How much room is left says the host.", ["fails: a clause is the subject"]],
  ["Who signs in gets a session.", ["fails: a clause is the subject"]],
  ["Whose key it is says the trail.", ["fails: a clause is the subject"]],
  ["Which endpoint answered is logged.", ["fails: a clause is the subject"]],
  ["Why it waits is shown.", ["fails: a clause is the subject"]],
  ["How a chain is traced is found out.", ["fails: a clause is the subject"]],
  ["How to restore is on its page.", ["fails: a clause is the subject"]],
  ["That a block waits means that hosts disagree.", ["fails: a clause is the subject"]],
  ["That the token counts is what a host says.", ["fails: a clause is the subject"]],
  ["The URL changes; what waits goes there.", ["fails: a clause is the subject"]],
  ["The lease ends; one that waits takes it.", ["fails: a clause is the subject"]],
  ["What happens after three days?", []],
  ["Who signs in?", []],
  ["How to restore", []],
  ["That is rare.", []],
  ["That hash is rebuilt.", []],
  ["The process that holds the lease says who waits, and why.", []],
  ["When a block waits, its money waits.", []],
  ["One transaction confirms all of it.", []],
])("%s", (text, broken) => {
  expect(rulesBroken(text)).toEqual(broken);
});

test("the cell of a table that is no sentence may begin with a clause", () => {
  expect(rulesBroken("what is due and not sent", true)).toEqual([]);
  expect(rulesBroken("What is due is sent.", true)).toEqual(["fails: a clause is the subject"]);
});

test("of a page the paragraphs, items and cells are read; code is one word or none", () => {
  const page =
    "# Title\n\nOne `two three. four` five.\n\n- item\n\n```sh\ncode\n```\n\n| a |\n|---|\n| b; c |\n";
  expect(proseOfMarkdown("page.md", page).map(({ text }) => text)).toEqual([
    "One `two_three__four` five.",
    "item",
    "a",
    "b",
    "c",
  ]);
});

test("a hard break ends a piece, so that the name of a field is no part of its meaning", () => {
  const page = "- **`id`** · UUID\\\n  It is unique.\n";
  expect(proseOfMarkdown("page.md", page).map(({ text }) => text)).toEqual([
    "`id`",
    "UUID",
    "It is unique.",
  ]);
});

test("lines of tables and of code may be wider than the page", () => {
  const wide = "wide ".repeat(30).trim();
  expect(wideLinesOfMarkdown(`${wide}\n\n| ${wide} |\n|---|\n\n    ${wide}\n`)).toEqual([1]);
});

test("of code the texts that are shown and the comments are read, with values filled in", () => {
  const code = `/** What it is for. */\nfail(new Fault("gone", \`The chain \${name} is gone: add it.\`));\n`;
  expect(textsOfCode("a.ts", code).map(({ text }) => text)).toEqual([
    "The chain X is gone: add it.",
  ]);
  expect(commentsOfCode("a.ts", code).map(({ text }) => text)).toEqual(["What it is for."]);
  expect(wideCommentsOfCode("a.ts", code)).toEqual([]);
  expect(wideCommentsOfCode("b.ts", `// ${"wide ".repeat(30)}\n`)).toEqual([1]);
});

test("the glossary refuses the words that its last column has in bold", () => {
  expect(
    refusedWordsOf("| word | meaning | not |\n|---|---|---|\n| a | b | **c**, d, **e f** |"),
  ).toEqual([
    { refused: "c", instead: "a" },
    { refused: "e f", instead: "a" },
  ]);
});

test.each<[string, string[]]>([
  ["A redelivery has the same id.", ['"redeliver" is "send again"']],
  ["It was heard.", ['"heard" is "delivered"']],
  ["`POST /redeliver` sends it again.", []],
  ["The alarms go to the operator.", ['"alarm" is "alert"']],
])("%s", (text, refused) => {
  const found = judgeWords({ file: "docs/page.md", line: 1, text, isFragment: false });
  expect(found.map(({ rule }) => rule)).toEqual(refused);
});
