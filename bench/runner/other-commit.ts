import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inCheckout } from "../../test/support/checkout.ts";
import { removeWithUs } from "../../test/support/process/reaper.ts";
import { type Build, programFile } from "../process/build.ts";
import type { Report } from "./bench.ts";

/** Another commit of this repository, built in a working tree of its own. */
export type OtherCommit = Build & {
  /** Its full hash. */
  commit: string;
  /** Whether it holds the programs that our benchmarks start of a build, beside its daemon. */
  hasPrograms: boolean;
  /** Whether it has the migrations of ours, and so opens a ledger that our build has made. */
  hasOurMigrations: boolean;
  /** Removes the working tree. */
  remove: () => Promise<void>;
};

/**
 * Checks the commit out and builds it as it says itself. Throws where there is no such commit, or
 * it does not build.
 */
export async function openCommit(name: string, report: Report): Promise<OtherCommit> {
  // Of one that was killed before it could remove its own.
  git("worktree", "prune");
  const commit = commitNamed(name);
  report(`building ${name} (${commit.slice(0, 12)})`);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "chainbell-against-")));
  removeWithUs(folder);
  const root = join(folder, "checkout");
  const remove = async () => {
    rmSync(folder, { recursive: true, force: true });
    git("worktree", "prune");
  };
  try {
    git("worktree", "add", "--detach", "--quiet", root, commit);
    shareDependencies(root);
    run("node", ["--input-type=module", "--eval", building], root);
  } catch (error) {
    await remove();
    throw error;
  }
  const hasPrograms = programs.every((program) => existsSync(programFile({ name, root }, program)));
  const hasOurMigrations = migrationsOf(root) === migrationsOf(inCheckout());
  return { name, root, commit, hasPrograms, hasOurMigrations, remove };
}

const migrationsOf = (root: string) => readdirSync(join(root, "prisma/migrations")).sort().join();

function commitNamed(name: string): string {
  try {
    return git("rev-parse", "--verify", "--quiet", `${name}^{commit}`);
  } catch (cause) {
    // A clone may have been made without them.
    const text = `${name} is no commit of this checkout. Where it is a tag: git fetch --tags.`;
    throw new Error(text, { cause });
  }
}

/**
 * As its own launcher builds it; before there were tools to compile there was nothing but the
 * daemon.
 */
const building = `
  const { prepare, prepareTools } = await import("./scripts/prepare.mjs");
  await prepare();
  await prepareTools?.();`;

const programs = ["catch-up", "commit-blocks", "match-blocks"] as const;

/** Where it wants the same packages it gets ours; else its own preparation installs them. */
function shareDependencies(root: string): void {
  for (const folder of ["", "test"]) {
    const lockfile = join(root, folder, "package-lock.json");
    const ours = readFileSync(inCheckout(folder, "package-lock.json"), "utf8");
    if (!existsSync(lockfile) || readFileSync(lockfile, "utf8") !== ours) continue;
    const packages = join(folder, "node_modules");
    symlinkSync(inCheckout(packages), join(root, packages), "junction");
    // Older than what is installed: its preparation must not install anything into our folder.
    utimesSync(lockfile, 0, 0);
  }
}

function git(...args: string[]): string {
  return run("git", args, inCheckout()).trim();
}

function run(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status === 0) return stdout;
  const said = error?.message ?? `${stdout}${stderr}`;
  throw new Error(`${command} ${args.join(" ")} failed: ${said.slice(-2_000)}`);
}
