import { existsSync } from "node:fs";

/**
 * The URL of a file or folder that ships beside the programs. `path` begins at the folder of
 * package.json. This module may lie at any depth below that: in src/, or in a program that the
 * build has put together.
 */
export function shippedFile(path: string): URL {
  return new URL(path, home());
}

function home(): URL {
  let folder = new URL(".", import.meta.url);
  while (!existsSync(new URL("package.json", folder))) {
    const parent = new URL("..", folder);
    if (parent.href === folder.href) throw new Error("No package.json stands above the program.");
    folder = parent;
  }
  return folder;
}
