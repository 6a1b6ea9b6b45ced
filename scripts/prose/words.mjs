// @ts-check
// The words that docs/glossary.md refuses: those in bold in its last column. Inline code is exempt, for public names
// keep such a word. So are pages and texts that quote one, by the list below.
import { readFileSync } from "node:fs";

/** Files in which a refused word is meant for another thing, or is quoted. */
const exempt = new Map([
  ["docs/glossary.md", /./],
  ["docs/style.md", /./],
  // The outcome of a lie, in a table of the run's own words.
  ["docs/security/lies.md", /^alarm$/],
  // The status, in lists of statuses that are made from the code.
  ["docs/commands.md", /^exhausted$/],
  ["docs/reference/administration-notifications.md", /^exhausted$/],
  ["docs/reference/notifications.md", /^exhausted$/],
  ["docs/reference/administration-transactions.md", /^exhausted$/],
  ["docs/reference/transactions.md", /^exhausted$/],
  ["docs/routes.md", /^exhausted$/],
  ["docs/security/faults.md", /^exhausted$/],
  // A connection of which nothing is heard.
  ["src/README.md", /^heard$/],
  ["src/ledger/postgres/connection/watched-client.ts", /^heard$/],
]);

const glossary = readFileSync(new URL("../../docs/glossary.md", import.meta.url), "utf8");

/**
 * The refused words of a glossary's table, each with the word to write.
 * @param {string} table
 * @returns {{ refused: string, instead: string }[]}
 */
export function refusedWordsOf(table) {
  return table.split("\n").flatMap((line) => {
    const [, instead, , not] = line.split("|").map((cell) => cell.trim());
    return [...(not ?? "").matchAll(/\*\*([^*]+)\*\*/g)].map(([, refused]) => ({
      refused: refused ?? "",
      instead: instead ?? "",
    }));
  });
}

const known = refusedWordsOf(glossary).map(({ refused, instead }) => ({
  instead,
  refused,
  pattern: new RegExp(`\\b${refused}(?:s|es|ed|d|y|ies|ing)?\\b`, "i"),
}));

/**
 * The refused words in a piece of prose.
 * @param {import("./rules.mjs").Prose} prose
 * @returns {import("./rules.mjs").Finding[]}
 */
export function judgeWords({ file, line, text }) {
  const shown = text.replace(/`[^`]*`/g, "");
  return known
    .filter(({ pattern, refused }) => pattern.test(shown) && !exempt.get(file)?.test(refused))
    .map(({ refused, instead }) => ({
      file,
      line,
      level: "fails",
      rule: `"${refused}" is "${instead}"`,
      text: shown.replace(/\s+/g, " "),
    }));
}
