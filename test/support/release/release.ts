import { execFile } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { inCheckout, inUserCache } from "../checkout.ts";

/**
 * The release before this version: to be raised with the first change after the next one. By its
 * commit, which is in the history even where a clone has no tags; the last migration that it has,
 * and its generation (src/ledger/postgres/generation.ts).
 */
export const release = {
  version: "0.2.0",
  commit: "6074931760dba3324b0de290e31d046b44b45f6c",
  daemon: join("dist", "bin", "main.js"),
  lastMigration: "20261122230500_access_tokens",
  generation: 1,
};

/**
 * The release's daemon, compiled, with the packages of this checkout: its database and queue matter
 * here, and no package of its own. It is built once on a machine, in seconds, and kept in the
 * user's cache folder, by its commit. Throws where this checkout lacks the commit and cannot fetch
 * it, or where it does not build. Safe for several processes at once.
 */
export async function builtRelease(): Promise<string> {
  const cache = inUserCache("chainbell-releases");
  const kept = join(cache, release.commit);
  if (!existsSync(kept)) await build(cache, kept);
  const packages = join(kept, "node_modules");
  // Of whichever checkout ran last.
  rmSync(packages, { force: true });
  symlinkSync(inCheckout("node_modules"), packages, "junction");
  return join(kept, release.daemon);
}

/** In a folder beside, which takes its place when it is whole. */
async function build(cache: string, kept: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const folder = realpathSync(mkdtempSync(join(cache, "draft-")));
  try {
    await extract(folder);
    symlinkSync(inCheckout("node_modules"), join(folder, "node_modules"), "junction");
    const generate = join(folder, "scripts", "generate.mjs");
    copyFileSync(inCheckout("scripts", "generate.mjs"), generate);
    await run(process.execPath, [generate], folder);
    await run(join("node_modules", ".bin", "tsc"), ["-p", ".", "--noCheck"], folder);
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
