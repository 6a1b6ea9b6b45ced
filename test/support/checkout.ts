import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * A path inside this checkout, from its root. The same from the sources and from what is compiled
 * of them.
 */
export function inCheckout(...parts: string[]): string {
  return join(root, ...parts);
}

const root = findRoot(import.meta.dirname);

function findRoot(folder: string): string {
  if (existsSync(join(folder, "floors.yaml"))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error("This file is in no checkout.");
  return findRoot(parent);
}
