// @ts-check
// Prints the ten test files that took longest, and fails where one took longer than the limit of test/slow-files.yaml without
// being on its list, or where the file names one that the run did not have.
// Usage: node scripts/slow-files.mjs REPORT, the JSON report of a run of all tests
import { readFileSync } from "node:fs";
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const SHOWN = 10;

/**
 * @typedef {{ limit_s: number, slow: Record<string, string>, early: string[] }} Budget what is slow, and why; what begins early
 * @typedef {{ name: string, startTime: number, endTime: number }} TestFile as vitest reports it
 */

const root = fileURLToPath(new URL("..", import.meta.url));
const [report = ""] = process.argv.slice(2);
const budget = /** @type {Budget} */ (
  parse(readFileSync(new URL("../test/slow-files.yaml", import.meta.url), "utf8"))
);
const { testResults } = /** @type {{ testResults: TestFile[] }} */ (
  JSON.parse(readFileSync(report, "utf8"))
);

const files = testResults
  .map(({ name, startTime, endTime }) => ({
    path: relative(root, name).split(sep).join("/"),
    seconds: (endTime - startTime) / 1_000,
  }))
  .sort((one, other) => other.seconds - one.seconds);
const isListed = (/** @type {string} */ path) => Object.hasOwn(budget.slow, path);
const say = (/** @type {string} */ line) => process.stderr.write(`slow-files: ${line}\n`);

for (const { path, seconds } of files.slice(0, SHOWN)) {
  say(`${Math.round(seconds)} s ${path}${isListed(path) ? ` (${budget.slow[path]})` : ""}`);
}
const over = files.filter(({ path, seconds }) => seconds > budget.limit_s && !isListed(path));
for (const { path, seconds } of over) {
  say(
    `${path} took ${Math.round(seconds)} s, and the limit is ${budget.limit_s} s: make it faster, or say why in test/slow-files.yaml`,
  );
}
const named = [...Object.keys(budget.slow), ...budget.early];
const gone = named.filter((path) => !files.some((file) => file.path === path));
for (const path of gone) say(`${path} is in test/slow-files.yaml, and no test ran in it`);
if (over.length > 0 || gone.length > 0) process.exitCode = 1;
