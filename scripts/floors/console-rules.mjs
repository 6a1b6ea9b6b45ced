// @ts-check
// What dependency-cruiser refuses of the console: its pages run in a browser, beside the daemon and not in it.

/** @typedef {import("dependency-cruiser").IForbiddenRuleType} Rule */

/**
 * The rooms of console/src, from what runs in the browser first to what stands on nothing, each
 * with what it may import.
 * @type {readonly { name: string, imports: readonly string[] }[]}
 */
const rooms = [
  { name: "app", imports: ["pages", "ui", "wire", "route", "format", "text", "browser"] },
  { name: "pages", imports: ["ui", "wire", "route", "format", "text", "browser"] },
  { name: "ui", imports: ["wire", "route", "format", "text"] },
  { name: "wire", imports: ["browser"] },
  { name: "route", imports: [] },
  { name: "format", imports: ["text", "browser"] },
  { name: "text", imports: ["browser"] },
  { name: "browser", imports: [] },
];

/** @type {readonly Rule[]} */
export const consoleRules = [
  ...rooms.map(
    ({ name, imports }) =>
      /** @type {const} */ ({
        name: `console ${name}`,
        comment: `may import ${imports.length === 0 ? "nothing else of console/src" : imports.join(", ")}`,
        severity: "error",
        from: { path: `^console/src/${name}/` },
        to: {
          path: "^console/src/",
          pathNot: [name, ...imports].map((one) => `^console/src/${one}/`),
        },
      }),
  ),
  {
    name: "a page of the console stands alone",
    comment: "a page imports no other page: what two of them share is in pages/parts",
    severity: "error",
    from: { path: "^console/src/pages/([^/]+)/" },
    to: {
      path: "^console/src/pages/",
      pathNot: ["^console/src/pages/$1/", "^console/src/pages/parts/"],
    },
  },
  {
    name: "the console stands alone",
    comment:
      "it is built for browsers: of this checkout it imports nothing else than how CSV is written",
    severity: "error",
    from: { path: "^console/" },
    to: {
      path: "^(src|test|bench|scripts|examples|packages)/",
      pathNot: "^src/domain/csv\\.ts$",
    },
  },
  {
    name: "only tests see the console",
    comment: "the daemon serves what is built of it",
    severity: "error",
    from: { path: "^(src|bench|scripts|packages)/" },
    to: { path: "^console/" },
  },
  {
    name: "libraries of the console",
    comment: "each has one place, so that it can be replaced there",
    severity: "error",
    from: {
      path: "^console/src/",
      pathNot: ["^console/src/ui/data/plot\\.ts$", "^console/src/wire/api\\.ts$"],
    },
    to: { path: "node_modules/(uplot|openapi-fetch)/" },
  },
];
