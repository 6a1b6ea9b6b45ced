import { cpSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { inCheckout } from "../test/support/checkout.ts";

const left = new Set(["node_modules", ".git", ".chainbell"]);

/**
 * Copies this checkout, with what is compiled of it, into a new folder, which the caller removes.
 * The packages are links to this checkout's. Returns the folder.
 */
export function copyCheckout(name: string): string {
  const copy = mkdtempSync(join(tmpdir(), `chainbell-${name}-`));
  cpSync(inCheckout(), copy, {
    recursive: true,
    preserveTimestamps: true,
    verbatimSymlinks: true,
    filter: (path) => !left.has(basename(path)),
  });
  for (const packages of ["node_modules", join("test", "node_modules")])
    symlinkSync(inCheckout(packages), join(copy, packages));
  return copy;
}
