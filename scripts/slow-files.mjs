// @ts-check
// Prints the ten test files that took longest. Fails where one took longer than the limit of
// test/slow-files.yaml without being on its list.
// Usage: node scripts/slow-files.mjs REPORT..., the JSON reports of runs, the quick files' one first
//        node scripts/slow-files.mjs --list slow|early, for the files on that list, a line each
import { readFileSync } from "node:fs";
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const SHOWN = 10;

/**
 * What is slow, and why; what begins early.
 * @typedef {object} Budget
 * @property {number} limit_s
 * @property {number} limit_share
 * @property {Record<string, string>} slow
 * @property {string[]} early
 */

/**
 * @typedef {{ name: string, startTime: number, endTime: number }} TestFile as vitest reports it
 */

const root = fileURLToPath(new URL("..", import.meta.url));
const reports = process.argv.slice(2);
const budget = /** @type {Budget} */ (
  parse(readFileSync(new URL("../test/slow-files.yaml", import.meta.url), "utf8"))
);
if (reports[0] === "--list") {
  const listed = reports[1] === "early" ? budget.early : Object.keys(budget.slow);
  for (const path of listed) process.stdout.write(`${path}\n`);
  process.exit(0);
}
const runs = reports.map(
  (report) =>
    /** @type {{ testResults: TestFile[] }} */ (JSON.parse(readFileSync(report, "utf8")))
      .testResults,
);

const files = runs
  .flat()
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
// On a machine that is half as fast, each file takes twice as long, and so does the first run.
// Later runs may be left out, so they do not count.
const [first = []] = runs;
const firstMs =
  Math.max(...first.map(({ endTime }) => endTime)) -
  Math.min(...first.map(({ startTime }) => startTime));
const limit = Math.max(budget.limit_s, (budget.limit_share * firstMs) / 1_000);
const over = files.filter(({ path, seconds }) => seconds > limit && !isListed(path));
for (const { path, seconds } of over) {
  say(
    `${path} took ${Math.round(seconds)} s, and the limit is ${Math.round(limit)} s: make it faster, or say why in test/slow-files.yaml`,
  );
}
if (over.length > 0) process.exitCode = 1;
