import { existsSync } from "node:fs";
import { homedir } from "node:os";
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

/** A path in the user's cache folder, for what is made once on a machine. */
export function inUserCache(...parts: string[]): string {
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), ...parts);
}
