// @ts-check
// Holds the folders of src/ against floors.yaml: each row is a folder with files in it, and each
// folder with files has a row. Usage: node scripts/floors/folders.mjs
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readFloors } from "./table.mjs";

/**
 * What is wrong, one line each.
 * @param {Pick<import("./table.mjs").Table, "rooms">} table
 * @param {string} sources the folder that the rooms are in
 */
export function problemsOfFolders({ rooms }, sources) {
  const generated = rooms.filter((room) => room.generated).map((room) => room.name);
  const folders = foldersWithFiles(sources, "", generated);
  const unknown = folders.filter((name) => rooms.every((room) => room.name !== name));
  const empty = rooms.filter((room) => !room.generated && !folders.includes(room.name));
  return [
    ...unknown.map((name) => `src/${name}: has no row in floors.yaml`),
    ...empty.map(({ name }) => `src/${name}: has a row in floors.yaml and no files`),
  ];
}

/**
 * The folders that have TypeScript files of their own.
 * @param {string} sources
 * @param {string} name
 * @param {string[]} generated folders that are not looked into
 * @returns {string[]}
 */
function foldersWithFiles(sources, name, generated) {
  const entries = readdirSync(join(sources, name), { withFileTypes: true });
  const hasFiles = entries.some((entry) => entry.isFile() && /\.tsx?$/.test(entry.name));
  const folders = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => (name === "" ? entry.name : `${name}/${entry.name}`))
    .filter((folder) => !generated.includes(folder));
  return [
    ...(hasFiles ? [name] : []),
    ...folders.flatMap((folder) => foldersWithFiles(sources, folder, generated)),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sources = fileURLToPath(new URL("../../src", import.meta.url));
  const problems = problemsOfFolders(readFloors(), sources);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
