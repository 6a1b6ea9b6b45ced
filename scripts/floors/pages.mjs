// @ts-check
// The pages that show floors.yaml. Usage: npm run floors, which writes them anew.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { drawFloors, listLibraries, listRooms } from "./draw.mjs";
import { readFloors } from "./table.mjs";

const root = new URL("../../", import.meta.url);

/**
 * What stands between the two comments of a page, as it should be now.
 * @returns {Promise<{ path: string, part: string }[]>}
 */
async function parts() {
  const table = readFloors();
  return [
    { path: "src/README.md", part: `${listRooms(table)}\n\n${listLibraries(table)}` },
    { path: "docs/floors.md", part: await drawFloors(table) },
  ];
}

/**
 * The pages with their text as it is and as it should be, of this checkout's sources.
 * @returns {Promise<{ path: string, current: string, wanted: string }[]>}
 */
export async function pages() {
  return (await parts()).map(({ path, part }) => {
    const current = readFileSync(new URL(path, root), "utf8");
    const [before, rest] = split(current, "<!-- from floors.yaml: npm run floors -->\n", path);
    const [, after] = split(rest, "<!-- end -->", path);
    return { path, current, wanted: `${before}\n${part}\n\n${after}` };
  });
}

/**
 * A text up to the end of a mark, and from its beginning if the mark ends a part.
 * @param {string} text
 * @param {string} mark
 * @param {string} path
 * @returns {[string, string]}
 */
function split(text, mark, path) {
  const at = text.indexOf(mark);
  if (at < 0) throw new Error(`${path} has no line ${mark}`);
  const end = mark.endsWith("\n") ? at + mark.length : at;
  return [text.slice(0, end), text.slice(end)];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { path, current, wanted } of await pages())
    if (current !== wanted) writeFileSync(new URL(path, root), wanted);
}
