import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { inCheckout } from "../../support/checkout.ts";

const good = "fix(ledger): count a fee once\n\nIt was counted for each movement.";

let folder: string;

/** A repository whose first commit is older than the rules, and whose second one adds them. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "chainbell-commits-"));
  git("init", "--quiet");
  mkdirSync(join(folder, "test"));
  symlinkSync(inCheckout("test/node_modules"), join(folder, "test/node_modules"), "junction");
  writeFileSync(join(folder, ".gitignore"), "node_modules\n");
  commit("Older than the rules");
  copyFileSync(inCheckout(".commitlintrc.yaml"), join(folder, ".commitlintrc.yaml"));
  commit("The rules themselves");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("commits that came before the rules, or with them, are not checked", () => {
  expect(check()).toBe(0);
  commit(good);
  expect(check()).toBe(0);
});

test("each commit that is not described as it should be is refused by name", () => {
  const refused = {
    "without a type": "count one\n\nIt was counted twice.",
    "of an unknown type": "money(ledger): count two\n\nIt was counted twice.",
    "without a subject": "fix(empty):\n\nIt was counted twice.",
    "that begins with a capital": "fix(ledger): Count three\n\nIt was counted twice.",
    "that ends with a full stop": "fix(ledger): count four.\n\nIt was counted twice.",
    "longer than 72 characters": `fix(ledger): count ${"a".repeat(54)}\n\nIt was counted twice.`,
    "without a body": "fix(ledger): count five",
    "without an empty line before its body": "fix(ledger): count six\nIt was counted twice.",
  };
  for (const message of Object.values(refused)) commit(message);
  commit(good);
  const { status, stdout } = runCheck();
  expect(status).toBe(1);
  for (const [why, message] of Object.entries(refused))
    expect(stdout, why).toContain(`input: ${message.split("\n")[0]}`);
  expect(stdout).not.toContain("count a fee once");
});

test("a tag that has the rules ends what is checked, and an older one does not", () => {
  git("tag", "v0.1.0", "HEAD~1");
  commit("Not as it should be");
  expect(check()).toBe(1);
  git("tag", "v0.2.0");
  expect(check()).toBe(0);
  commit("Again");
  expect(check()).toBe(1);
});

function check(): number | null {
  return runCheck().status;
}

function runCheck() {
  return run(process.execPath, inCheckout("scripts", "commits.mjs"));
}

function commit(message: string): void {
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--cleanup=verbatim", "--message", message);
}

function git(...args: string[]): void {
  const person = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];
  if (run("git", ...person, ...args).status !== 0) throw new Error(`git ${args.join(" ")} failed`);
}

function run(program: string, ...args: string[]) {
  // Colours, which a runner may force, would stand between the words that are looked for.
  const { GIT_DIR: _, FORCE_COLOR: __, ...env } = process.env;
  return spawnSync(program, args, {
    cwd: folder,
    env: { ...env, NO_COLOR: "1" },
    encoding: "utf8",
  });
}
