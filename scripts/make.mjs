// @ts-check
// Makes a folder from sources, beside whoever uses the old one and whoever makes the same.
// JavaScript, as prepare.mjs is: it runs on Node 20 before anything is compiled.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** What the names of folders begin with that are being made. */
const unfinished = ".unfinished-";
const abandonedAfterMs = 3_600_000;

/** Two renames and the removal of a folder take less. */
const lockedAtMostMs = 10_000;

/**
 * Makes a folder anew where one of its inputs is newer: under another name, which then takes the
 * place of the old one. So two programs may be started at the same moment, and one that runs finds
 * its files until there are new ones. Safe to repeat, and beside itself.
 * @param {{
 *   root: string,
 *   folder: string,
 *   inputs: string[],
 *   build: (made: string) => void,
 *   say: (line: string) => void
 * }} what `folder` and `inputs` are paths below `root`; `build` is given the folder to write to
 */
export function make({ root, folder, inputs, build, say }) {
  const place = join(root, folder);
  const isFresh = () =>
    newest(inputs.map((name) => join(root, name))) <= newest([join(place, ".built")]);
  if (isFresh()) return;
  say(`compiling ${folder}`);
  removeAbandoned(root);
  // Beside what it replaces: maps name their sources by the way from there.
  const made = join(root, `${unfinished}${folder.replaceAll(/[\\/]/g, "-")}-${process.pid}`);
  build(made);
  writeFileSync(join(made, ".built"), "");
  replace(place, made, isFresh);
}

/**
 * The latest modification time under the paths, in ms; 0 for what does not exist. Folders count, so
 * a removal shows. Installed packages do not: a lock file says which they are.
 * @param {string[]} paths
 */
export function newest(paths) {
  let latest = 0;
  for (const path of paths) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    latest = Math.max(latest, stat.mtimeMs);
    if (!stat.isDirectory()) continue;
    const names = readdirSync(path).filter((name) => name !== "node_modules");
    latest = Math.max(latest, newest(names.map((name) => join(path, name))));
  }
  return latest;
}

/** What somebody began to make and was interrupted in. */
function removeAbandoned(/** @type {string} */ root) {
  for (const name of readdirSync(root)) {
    if (!name.startsWith(unfinished)) continue;
    const stat = statSync(join(root, name), { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > abandonedAfterMs)
      rmSync(join(root, name), { recursive: true, force: true });
  }
}

/**
 * Puts what was made into its place, unless another process has just put its own there: whoever has
 * found that one reads it.
 * @param {string} place
 * @param {string} made
 * @param {() => boolean} isFresh whether what is in the place is new enough
 */
function replace(place, made, isFresh) {
  const leave = enter(`${made.slice(0, made.lastIndexOf("-"))}-lock`);
  try {
    if (isFresh()) {
      rmSync(made, { recursive: true, force: true });
      return;
    }
    const old = `${made}-old`;
    if (existsSync(place)) renameSync(place, old);
    renameSync(made, place);
    rmSync(old, { recursive: true, force: true });
  } finally {
    leave();
  }
}

/**
 * Waits until nobody else is in there; answers how to leave. Whoever was killed in there is not
 * waited for.
 * @param {string} lock
 */
function enter(lock) {
  for (;;) {
    try {
      mkdirSync(lock);
      return () => rmSync(lock, { recursive: true, force: true });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    const stat = statSync(lock, { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > lockedAtMostMs)
      rmSync(lock, { recursive: true, force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
}
