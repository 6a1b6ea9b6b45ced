// @ts-check
// Reads floors.yaml: the rooms of src/, what each may import, and who may import which library.
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";

const roomRow = z.strictObject({
  holds: z.string(),
  imports: z.array(z.string()),
  next: z.string(),
  generated: z.boolean().default(false),
});

const tableFile = z.strictObject({
  floors: z.array(
    z.strictObject({
      floor: z.string(),
      sees: z.array(z.string()),
      rooms: z.record(z.string(), roomRow),
    }),
  ),
  libraries: z.record(z.string(), z.array(z.string())),
  node: z.record(z.string(), z.array(z.string())),
  developmentOnly: z.array(z.string()),
});

/**
 * A folder of src/. `imports` are the names of the rooms that `says` means, the room itself left
 * out.
 * @typedef {{
 *   name: string,
 *   floor: string,
 *   holds: string,
 *   says: string[],
 *   imports: string[],
 *   next: string,
 *   generated: boolean,
 * }} Room
 */

/**
 * `rooms` stand from top to bottom. The values of `libraries` and `node` are the names of rooms
 * that `libraryRows` means.
 * @typedef {{
 *   rooms: Room[],
 *   libraryRows: [string, string[]][],
 *   libraries: Map<string, string[]>,
 *   node: Map<string, string[]>,
 *   developmentOnly: string[],
 * }} Table
 */

/**
 * The table that a text in YAML says. Throws an Error that names the row when one contradicts the
 * order of the floors.
 * @param {string} text
 * @returns {Table}
 */
export function readTable(text) {
  const file = tableFile.parse(parse(text));
  const rows = file.floors.flatMap(({ floor, rooms }) =>
    Object.entries(rooms).map(([name, row]) => ({ name, floor, ...row })),
  );
  const names = rows.map((row) => row.name);
  const roomsOf = (/** @type {string[]} */ patterns) => [
    ...new Set(patterns.flatMap((pattern) => match(pattern, names))),
  ];
  const rooms = rows.map((row) => ({
    ...row,
    says: row.imports,
    imports: roomsOf(row.imports).filter((name) => name !== row.name),
  }));
  const sees = new Map(file.floors.map((floor) => [floor.floor, floor.sees]));
  for (const [place, room] of rooms.entries()) {
    for (const name of room.imports) {
      const other = rooms.findIndex((each) => each.name === name);
      const problem = inTheWay(room, rooms[other], other > place, sees);
      if (problem !== null) throw new Error(`floors.yaml: ${room.name} names ${name}, ${problem}`);
    }
  }
  const owners = (/** @type {Record<string, string[]>} */ record) =>
    new Map(Object.entries(record).map(([name, patterns]) => [name, roomsOf(patterns)]));
  return {
    rooms,
    libraryRows: Object.entries(file.libraries),
    libraries: owners(file.libraries),
    node: owners(file.node),
    developmentOnly: roomsOf(file.developmentOnly),
  };
}

/** The table of this checkout. */
export function readFloors() {
  return readTable(readFileSync(new URL("../../floors.yaml", import.meta.url), "utf8"));
}

/**
 * The rooms that `chain` (that folder alone) or `chain/**` (its rooms as well) means.
 * @param {string} pattern
 * @param {string[]} names
 */
function match(pattern, names) {
  const folder = pattern.endsWith("/**") ? pattern.slice(0, -3) : null;
  const found = names.filter((name) =>
    folder === null ? name === pattern : name === folder || name.startsWith(`${folder}/`),
  );
  if (found.length === 0) throw new Error(`floors.yaml: no room is called ${pattern}`);
  return found;
}

/**
 * Why a row may not name another; null: it may.
 * @param {Room} room
 * @param {Room | undefined} other
 * @param {boolean} isBelow
 * @param {Map<string, string[]>} sees
 */
function inTheWay(room, other, isBelow, sees) {
  if (other === undefined) return "which has no row";
  if (!isBelow) return "which stands above it";
  if (house(room) === house(other)) return null;
  if (room.floor === other.floor) return "another folder of its floor";
  if (!sees.get(room.floor)?.includes(other.floor)) return `which is on floor ${other.floor}`;
  return null;
}

/** @param {Room} room */
function house(room) {
  return room.name.split("/")[0];
}
