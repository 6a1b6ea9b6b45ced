// @ts-check
// Copies a shared library that this Node has loaded into a folder, at the place where the loader looks for it in a base of
// Debian without a shell: usr/lib/<architecture>. Does nothing but make the folder where Node needs no such library.
// Usage: node scripts/libraries.mjs NAME FOLDER
import { copyFileSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const [name = "", folder = ""] = process.argv.slice(2);
const { sharedObjects } = /** @type {{ sharedObjects: string[] }} */ (process.report.getReport());
mkdirSync(folder, { recursive: true });
for (const path of sharedObjects.filter((one) => basename(one).startsWith(`${name}.so`))) {
  const place = join(folder, "usr", "lib", basename(dirname(path)));
  mkdirSync(place, { recursive: true });
  copyFileSync(path, join(place, basename(path)));
}
