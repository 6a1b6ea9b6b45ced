// @ts-check
// Holds the folders of a source tree against floors.yaml: each row is a folder with files in it, each folder with files
// has a row, and none has more files than the table allows; that holds for the console's folders too. Usage: node scripts/floors/folders.mjs
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readFloors } from "./table.mjs";

/**
 * What is wrong, one line each.
 * @param {Pick<import("./table.mjs").Table, "filesPerFolder" | "rooms">} table
 * @param {string} sources the folder that the rooms are in
 */
export function problemsOfFolders({ filesPerFolder, rooms }, sources) {
  const generated = rooms.filter((room) => room.generated).map((room) => room.name);
  const counts = filesPerRoom(sources, "", generated);
  const unknown = [...counts.keys()].filter((name) => rooms.every((room) => room.name !== name));
  const empty = rooms.filter((room) => !room.generated && !counts.has(room.name));
  return [
    ...unknown.map((name) => `src/${name}: has no row in floors.yaml`),
    ...empty.map(({ name }) => `src/${name}: has a row in floors.yaml and no files`),
    ...problemsOfSize(filesPerFolder, counts, "src"),
  ];
}

/**
 * Folders with too many files, one line each.
 * @param {number} filesPerFolder
 * @param {Map<string, number>} counts
 * @param {string} root how the folder that they are in is called
 */
function problemsOfSize(filesPerFolder, counts, root) {
  return [...counts]
    .filter(([, count]) => count > filesPerFolder)
    .map(
      ([name, count]) =>
        `${root}/${name}: has ${count} files, at most ${filesPerFolder}: give it rooms`,
    );
}

/**
 * How many TypeScript files each folder has beside its folders; those without any are left out.
 * @param {string} sources
 * @param {string} name
 * @param {string[]} generated folders that are not looked into
 * @returns {Map<string, number>}
 */
function filesPerRoom(sources, name, generated) {
  const entries = readdirSync(join(sources, name), { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name));
  const folders = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => (name === "" ? entry.name : `${name}/${entry.name}`))
    .filter((folder) => !generated.includes(folder));
  return new Map([
    ...(files.length === 0 ? [] : [/** @type {const} */ ([name, files.length])]),
    ...folders.flatMap((folder) => [...filesPerRoom(sources, folder, generated)]),
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = (/** @type {string} */ name) =>
    fileURLToPath(new URL(`../../${name}`, import.meta.url));
  const floors = readFloors();
  const problems = [
    ...problemsOfFolders(floors, folder("src")),
    ...problemsOfSize(
      floors.filesPerFolder,
      filesPerRoom(folder("console/src"), "", []),
      "console/src",
    ),
  ];
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
