// @ts-check
// What dependency-cruiser refuses, made out of floors.yaml.
import { consoleRules } from "./console-rules.mjs";

/** @typedef {import("./table.mjs").Table} Table */
/** @typedef {import("./table.mjs").Room} Room */
/** @typedef {import("dependency-cruiser").IForbiddenRuleType} Rule */

/** @type {import("dependency-cruiser").DependencyType[]} */
const libraryTypes = ["npm", "npm-dev", "npm-optional", "npm-peer", "npm-no-pkg", "npm-unknown"];

/**
 * One rule for each row of the table, and those that hold everywhere.
 * @param {Table} table
 * @returns {Rule[]}
 */
export function rulesOf(table) {
  return [
    ...table.rooms.map((room) => roomRule(room, table)),
    ...[...table.libraries].map(([name, owners]) => libraryRule(name, owners, table)),
    ...[...table.node].map(([name, owners]) => nodeRule(name, owners, table)),
    ...everywhere(table),
    ...consoleRules,
  ];
}

/**
 * @param {Room} room
 * @param {Table} table
 * @returns {Rule}
 */
function roomRule(room, table) {
  const allowed = room.imports.length === 0 ? "nothing else of src/" : room.imports.join(", ");
  return {
    name: `room ${room.name}`,
    comment: `may import ${allowed} (floors.yaml)`,
    severity: "error",
    from: { path: filesOf(room) },
    to: { path: "^src/", pathNot: inRooms([room.name, ...room.imports], table) },
  };
}

/**
 * @param {string} name
 * @param {string[]} owners
 * @param {Table} table
 * @returns {Rule}
 */
function libraryRule(name, owners, table) {
  const parts = [...table.libraries.keys()].filter((other) => other.startsWith(`${name}/`));
  return {
    name: `library ${name}`,
    comment: `only ${owners.join(", ")} may import it (floors.yaml)`,
    severity: "error",
    from: { path: "^src/", pathNot: inRooms(owners, table) },
    to: { path: filesOfLibrary(name), pathNot: parts.map(filesOfLibrary) },
  };
}

/**
 * @param {string} name
 * @param {string[]} owners
 * @param {Table} table
 * @returns {Rule}
 */
function nodeRule(name, owners, table) {
  return {
    name: `node:${name}`,
    comment: `only ${owners.join(", ")} may import it (floors.yaml)`,
    severity: "error",
    from: { path: "^src/", pathNot: inRooms(owners, table) },
    to: { dependencyTypes: ["core"], path: `^${name}(/|$)` },
  };
}

/**
 * @param {Table} table
 * @returns {Rule[]}
 */
function everywhere(table) {
  const rooms = table.rooms.map(filesOf);
  return [
    {
      name: "no cycles",
      comment: "files import each other in a circle, type-only imports included",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "every folder has a row",
      comment: "add the folder to floors.yaml: what it holds and what it may import",
      severity: "error",
      from: { path: "^src/", pathNot: rooms },
      to: {},
    },
    {
      name: "src stands alone",
      comment: "what is built may not import tests, benchmarks, scripts or other packages",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|bench|scripts|examples|packages)/" },
    },
    {
      name: "a package stands alone",
      comment: "it is published by itself, so it imports nothing of this checkout beside it",
      severity: "error",
      from: { path: "^packages/([^/]+)/" },
      to: { path: "^(src|test|bench|scripts|packages)/", pathNot: "^packages/$1/" },
    },
    {
      name: "tests share by support",
      comment: "a test imports src/, test/support/ and its own folder",
      severity: "error",
      from: { path: "^test/([^/]+/)" },
      to: { path: "^test/", pathNot: ["^test/support/", "^test/$1", "^test/node_modules/"] },
    },
    {
      name: "every library has a row",
      comment: "add the library to floors.yaml: who may import it",
      severity: "error",
      from: { path: "^src/" },
      to: {
        dependencyTypes: libraryTypes,
        pathNot: [...table.libraries.keys()].map(filesOfLibrary),
      },
    },
    {
      name: "no development dependency",
      comment: "an installation for production does not have it",
      severity: "error",
      from: { path: "^src/", pathNot: inRooms(table.developmentOnly, table) },
      to: { dependencyTypes: ["npm-dev"] },
    },
    {
      name: "nothing unresolved",
      comment: "there is no such file or package",
      severity: "error",
      from: {},
      to: { couldNotResolve: true, pathNot: "^(\\.\\./)*dist" },
    },
  ];
}

/** @param {Room} room */
function filesOf(room) {
  return room.generated ? `^src/${room.name}/` : `^src/${room.name}/[^/]+$`;
}

/**
 * @param {string[]} names
 * @param {Table} table
 */
function inRooms(names, table) {
  return table.rooms.filter((room) => names.includes(room.name)).map(filesOf);
}

/** @param {string} name a package, or a part of one: the entry `utils` of `viem/utils` */
function filesOfLibrary(name) {
  const parts = name.split("/");
  const length = name.startsWith("@") ? 2 : 1;
  const folder = parts.slice(0, length).join("/").replaceAll(".", "\\.");
  const part = parts.slice(length).join("/");
  return `node_modules/${folder}/${part === "" ? "" : `[^/]*/?${part}[/.]`}`;
}
