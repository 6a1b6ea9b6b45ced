// @ts-check
// Holds every import against floors.yaml. `import type` counts as any other import.
import { rulesOf } from "./scripts/floors/rules.mjs";
import { readFloors } from "./scripts/floors/table.mjs";

const floors = readFloors();
const generated = floors.rooms.filter((room) => room.generated).map((room) => `^src/${room.name}/`);

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: rulesOf(floors),
  options: {
    // Its parser is TypeScript 6, which package.json names `typescript`; the sources are compiled
    // by TypeScript 7.
    parser: "tsc",
    tsPreCompilationDeps: true,
    // Elsewhere `require` is a function like any other.
    moduleSystems: ["es6"],
    doNotFollow: { path: ["node_modules", ...generated] },
    exclude: { path: "^(dist|dist-tools|bench/peers|packages/[^/]+/dist)/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
      mainFields: ["module", "main"],
    },
  },
};
