// @ts-check
// Checks how commits are described: those since the last tag, or, where no tag has the rules, those since the commit that
// added them (.commitlintrc.yaml). Usage: node scripts/commits.mjs, in a checkout
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const rules = ".commitlintrc.yaml";

/** What git answers, or null where it fails. */
function git(/** @type {string[]} */ ...args) {
  const { status, stdout } = spawnSync("git", args, { encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}

const added = git("log", "--diff-filter=A", "--format=%H", "--", rules);
if (added === null || added === "") {
  process.stderr.write(`commits: no commit has added ${rules}: nothing to check\n`);
  process.exit(0);
}
const first = added.split("\n").at(-1) ?? "";
const tag = git("describe", "--tags", "--abbrev=0");
const hasRules = tag !== null && git("merge-base", "--is-ancestor", first, tag) !== null;
const tools = createRequire(new URL("../test/package.json", import.meta.url));
const commitlint = dirname(tools.resolve("@commitlint/cli/package.json"));
const { status } = spawnSync(
  process.execPath,
  [join(commitlint, "cli.js"), "--from", hasRules ? tag : first, "--to", "HEAD"],
  { stdio: "inherit" },
);
process.exitCode = status ?? 1;
