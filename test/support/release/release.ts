import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { inCheckout } from "../checkout.ts";
import { removeWithUs } from "../process/reaper.ts";

/**
 * The release before this version: to be raised with the first change after the next one. By its commit, which is in the history
 * even where a clone has no tags; and the last migration that it has.
 */
export const release = {
  version: "0.1.0",
  commit: "382a2c1a0c59977dcb6c87ffd62b33f51ce08398",
  daemon: join("dist", "main.js"),
  lastMigration: "20261121070000_references",
};

export type Release = {
  /** Its daemon, compiled. */
  program: string;
  /** Removes the folder that it was built in. Safe to repeat. */
  remove: () => Promise<void>;
};

/**
 * Builds the release as its own Dockerfile does, with packages of its own, in a folder of its own: half a minute, most of it npm's.
 * Throws where this checkout does not have its commit and cannot fetch it, or where it does not build.
 */
export async function openRelease(): Promise<Release> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "chainbell-release-")));
  removeWithUs(folder);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await extract(folder);
    await run(
      "npm",
      ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"],
      folder,
    );
    await run("npm", ["run", "-s", "build"], folder);
  } catch (error) {
    await remove();
    throw error;
  }
  return { program: join(folder, release.daemon), remove };
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
