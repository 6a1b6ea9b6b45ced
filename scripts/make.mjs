// @ts-check
// Makes a folder from sources, beside whoever uses the old one and whoever makes the same.
// JavaScript, as prepare.mjs is: it runs on Node 20 before anything is compiled.
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What the names of folders begin with that are being made. */
const unfinished = ".unfinished-";
const abandonedAfterMs = 3_600_000;

/**
 * Makes a folder anew where one of its inputs is newer: under another name, which then takes the place of the old one. So two
 * programs may be started at the same moment, and one that runs finds its files until there are new ones. Safe to
 * repeat, and beside itself.
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
  if (newest(inputs.map((name) => join(root, name))) <= newest([join(place, ".built")])) return;
  say(`compiling ${folder}`);
  removeAbandoned(root);
  // Beside what it replaces: maps name their sources by the way from there.
  const made = join(root, `${unfinished}${folder.replaceAll(/[\\/]/g, "-")}-${process.pid}`);
  build(made);
  writeFileSync(join(made, ".built"), "");
  replace(place, made);
}

/**
 * The latest modification time under the paths, in ms; 0 for what does not exist. Folders count, so a removal shows.
 * @param {string[]} paths
 */
export function newest(paths) {
  let latest = 0;
  for (const path of paths) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    latest = Math.max(latest, stat.mtimeMs);
    if (stat.isDirectory())
      latest = Math.max(latest, newest(readdirSync(path).map((name) => join(path, name))));
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
 * Another process may put an equal folder there at the same moment: the last one stays.
 * @param {string} place
 * @param {string} made
 */
function replace(place, made) {
  const old = `${made}-old`;
  for (;;) {
    try {
      renameSync(place, old);
    } catch (error) {
      if (existsSync(place)) throw error;
    }
    try {
      renameSync(made, place);
      rmSync(old, { recursive: true, force: true });
      return;
    } catch (error) {
      if (!existsSync(place)) throw error;
      rmSync(old, { recursive: true, force: true });
    }
  }
}
