import { existsSync } from "node:fs";

/**
 * The URL of a file or folder that is shipped with the programs. `path` begins at the folder of
 * package.json. This module may be at any depth below that folder: in src/, or bundled into a
 * program.
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
