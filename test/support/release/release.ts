import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync } from "node:fs";
import { rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { inCheckout } from "../checkout.ts";

/**
 * The release before this version: to be raised with the first change after the next one. By its
 * commit, which is in the history even where a clone has no tags; the last migration that it has,
 * and its generation (src/ledger/postgres/generation.ts).
 */
export const release = {
  version: "0.2.0",
  commit: "cac427d2b25534c5935523e76b089a14cdaeb759",
  daemon: join("dist", "bin", "main.js"),
  lastMigration: "20261122230500_access_tokens",
  generation: 1,
};

/**
 * The release's daemon, compiled. It is built once on a machine, in two minutes, and kept in the
 * user's cache folder, by its commit and Node's version: some 200 MB. Throws where this checkout
 * does not have the commit and cannot fetch it, or where it does not build. Safe for several
 * processes at once.
 */
export async function builtRelease(): Promise<string> {
  const cache = join(
    process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
    "chainbell-releases",
  );
  const major = process.versions.node.split(".")[0];
  const kept = join(cache, `${release.commit}-node-${major}`);
  if (!existsSync(kept)) await build(cache, kept);
  return join(kept, release.daemon);
}

/** In a folder beside, which takes its place when it is whole. */
async function build(cache: string, kept: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const folder = realpathSync(mkdtempSync(join(cache, "draft-")));
  try {
    await extract(folder);
    const quietly = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
    await run("npm", ["ci", ...quietly], folder);
    await run("npm", ["run", "-s", "build"], folder);
    // What it runs with, as in its own image.
    await run("npm", ["prune", "--omit=dev", ...quietly], folder);
    // Whoever was faster has built the same.
    if (!existsSync(kept)) renameSync(folder, kept);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function extract(folder: string): Promise<void> {
  const archive = join(folder, "release.tar");
  const write = () => git("archive", "--output", archive, release.commit);
  try {
    await write();
  } catch {
    // A clone of the last commits alone does not have it.
    await git("fetch", "--quiet", "--depth", "1", "origin", release.commit);
    await write();
  }
  await run("tar", ["-xf", archive], folder);
  await rm(archive);
}

function git(...args: string[]): Promise<void> {
  return run("git", args, inCheckout());
}

/** In the background: vitest hears nothing of a worker that waits for a command. */
async function run(command: string, args: string[], cwd: string): Promise<void> {
  try {
    await promisify(execFile)(command, args, { cwd, maxBuffer: 2 ** 26 });
  } catch (cause) {
    throw new Error(`Release ${release.version}: ${command} ${args.join(" ")} failed.`, { cause });
  }
}
