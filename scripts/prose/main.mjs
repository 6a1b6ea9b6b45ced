// @ts-check
// Checks the prose of documents, of texts that the software shows, and of comments by the rules of docs/style.md.
// Usage: node scripts/prose/main.mjs [--all] [PATH...]
// Without --all only failures and counts are printed. A path checks the files that begin with it.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { commentsOfCode, textsOfCode, wideCommentsOfCode } from "./code.mjs";
import { proseOfMarkdown, wideLinesOfMarkdown } from "./markdown.mjs";
import { columns, judge } from "./rules.mjs";
import { judgeWords } from "./words.mjs";

/**
 * A kind of prose: its files, and whether what fails in it fails the check.
 * @typedef {{
 *   name: string,
 *   files: string[],
 *   fails: boolean,
 *   isByGlossary: boolean,
 *   prose: (file: string, text: string) => import("./rules.mjs").Prose[],
 *   wide: (file: string, text: string) => number[],
 * }} Kind
 */

const isAll = process.argv.includes("--all");
const paths = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));

/** @type {Kind[]} */
const kinds = [
  {
    name: "documents",
    files: tracked("*.md").filter((file) => !isHistory(file)),
    fails: true,
    isByGlossary: true,
    prose: proseOfMarkdown,
    wide: (_, text) => wideLinesOfMarkdown(text),
  },
  {
    name: "decisions and changelog",
    files: tracked("*.md").filter(isHistory),
    fails: true,
    isByGlossary: false,
    prose: proseOfMarkdown,
    wide: (_, text) => wideLinesOfMarkdown(text),
  },
  {
    name: "console texts",
    files: tracked("console/src/text/*.json"),
    fails: true,
    isByGlossary: true,
    prose: proseOfJson,
    wide: () => [],
  },
  {
    name: "errors, help and API",
    files: tracked("src/*.ts"),
    fails: true,
    isByGlossary: true,
    prose: textsOfCode,
    wide: () => [],
  },
  {
    name: "comments",
    files: tracked("src/*.ts", "console/*.ts", "console/*.tsx", "packages/*.ts"),
    fails: true,
    isByGlossary: false,
    prose: commentsOfCode,
    wide: wideCommentsOfCode,
  },
];

let failures = 0;
for (const kind of kinds) report(kind);
process.exitCode = failures === 0 ? 0 : 1;

/** @param {Kind} kind */
function report({ name, files, fails, isByGlossary, prose, wide }) {
  const chosen = files.filter(
    (file) => paths.length === 0 || paths.some((path) => file.startsWith(path)),
  );
  const counts = { sentences: 0, warns: 0, fails: 0, wide: 0 };
  for (const file of chosen) {
    const text = readFileSync(file, "utf8");
    for (const piece of prose(file, text)) {
      const { sentences, findings } = judge(piece);
      counts.sentences += sentences;
      for (const finding of isByGlossary ? [...findings, ...judgeWords(piece)] : findings) {
        counts[finding.level] += 1;
        if (isAll || (fails && finding.level === "fails")) print(finding);
      }
    }
    for (const line of wide(file, text)) {
      counts.wide += 1;
      if (isAll || fails)
        print({ file, line, rule: "too wide", text: `wrap at ${columns.document}` });
    }
  }
  if (fails) failures += counts.fails + counts.wide;
  if (chosen.length === 0) return;
  process.stdout.write(
    `prose: ${name}: ${counts.sentences} sentences, ${counts.fails} fail, ${counts.warns} warn, ${counts.wide} lines too wide\n`,
  );
}

/** @param {{ file: string, line: number, rule: string, text: string }} finding */
function print({ file, line, rule, text }) {
  process.stdout.write(`${file}:${line} ${rule}: ${text}\n`);
}

/**
 * @param {string} file
 * @param {string} text
 * @returns {import("./rules.mjs").Prose[]}
 */
function proseOfJson(file, text) {
  return text.split("\n").flatMap((content, index) => {
    const [, value] = /^\s*"[^"]*":\s*("(?:[^"\\]|\\.)*"),?$/.exec(content) ?? [];
    if (value === undefined) return [];
    const shown = String(JSON.parse(value)).replace(/\{[^}]*\}/g, "X");
    return [{ file, line: index + 1, text: shown, isFragment: !/[.]$/.test(shown) }];
  });
}

/**
 * Whether a page says what was decided or released once.
 * @param {string} file
 */
function isHistory(file) {
  return file.startsWith("docs/decisions/") || file === "CHANGELOG.md";
}

/**
 * Files of this repository, committed or not, that match.
 * @param {string[]} patterns
 */
function tracked(...patterns) {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...patterns];
  const listed = execFileSync("git", args, { encoding: "utf8" }).split("\n");
  return [...new Set(listed)].filter(
    (file) => file !== "" && !file.includes("/generated/") && existsSync(file),
  );
}
