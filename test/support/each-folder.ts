import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eachTest } from "./each-test.ts";

/** An empty folder for each test, see eachTest. `pathOf`: of a file in it. */
export function eachFolder(): { path: string; pathOf: (name: string) => string } {
  return eachTest(
    async () => {
      const path = mkdtempSync(join(tmpdir(), "chainbell-test-"));
      return { path, pathOf: (name: string) => join(path, name) };
    },
    ({ path }) => rmSync(path, { recursive: true }),
  );
}
